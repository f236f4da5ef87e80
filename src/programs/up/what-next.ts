import { resolve } from 'node:path';
import { GROUPS } from '#api/groups';
import { OWNERS_ARE_KNOWN } from '#platform/base/socket-owner';
import { withInstalledPaths } from '#programs/cli/installed-paths';
import type { UpSettings } from '#programs/cli/up';
import { vmShortNameGroup } from '#programs/cli/vm-short-name';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { REGISTRATIONS } from '#vm/dialects/registrations';

export interface Started {
  readonly settings: Pick<UpSettings, 'dialects' | 'vmShortName' | 'ephemeral' | 'mergeKubeconfig'>;
  readonly kubeconfig: string;
  readonly dataDir: string;
  /** File with the token for HTTP clients of other users. */
  readonly tokenFile: string;
  /** Whether it runs without a terminal. */
  readonly background: boolean;
  /** Context of the user's kubeconfig, if it was added there. */
  readonly context?: string;
  /** URL of the exporter, if it is on. */
  readonly exporter?: string;
  /** Name of a real guest of the demo, if there is one. */
  readonly guest?: string;
}

const WHO = OWNERS_ARE_KNOWN ? 'HTTP clients of other users and hosts' : 'HTTP clients';

type Line = readonly [command: string, why: string];

/** Returns commands to try now, for the chosen groups. */
export function whatNext(started: Started): string {
  const { settings, kubeconfig, dataDir, tokenFile, background, context, exporter, guest } = started;
  const which = dataDir === resolve(defaultDataDir('up')) ? '' : ` --data-dir ${shellWord(dataDir)}`;
  const kept = settings.ephemeral ? 'its objects are not retained' : 'its objects are retained for the next start';
  const isCurrent = context !== undefined && settings.mergeKubeconfig;
  const access = isCurrent
    ? `  kubectl config use-context ${context}  # it is current already\n`
    : `  export KUBECONFIG=${shellWord(kubeconfig)}\n`;
  const lines = [...guestTries(guest), ...tries(settings), ...(exporter === undefined ? [] : exporterTries(exporter))];
  const width = Math.max(...lines.map(([command]) => command.length));
  return withInstalledPaths(`
Ready. In another terminal:

${access}${lines.map(([command, why]) => `  ${command.padEnd(width)}  # ${why}\n`).join('')}
${WHO} need the token in ${shellWord(tokenFile)} to make changes.
Stop it with ${background ? '' : 'Ctrl-C or '}bin/vimana down${which}; ${kept}. bin/vimana delete${which} deletes everything.
`);
}

function tries({ dialects, vmShortName }: Started['settings']): Line[] {
  return [
    ['kubectl get vm', `list VMs of ${vmShortNameGroup(dialects, vmShortName)}`],
    ['kubectl get vmi -o wide', 'list running VMs of every API group'],
    ['kubectl get nodes,pods', 'list nodes and pods'],
    ['bin/vimana vm list -o wide', 'list VMs of every API group'],
    ...(dialects.includes('kubevirt') ? [['bin/vimana vm migrate NAME --wait', 'live-migrate a VM'] as const] : []),
    ...dialects.map(
      (name): Line => [`kubectl apply -f ${REGISTRATIONS[name].example}`, `create more ${GROUPS[name]} VMs`],
    ),
  ];
}

const guestTries = (guest: string | undefined): Line[] =>
  guest === undefined ? [] : [[`bin/vimana vm console ${guest}`, 'open the shell of a real guest']];

const exporterTries = (at: string): Line[] => [
  [`curl -s ${at}/metrics`, 'usage of nodes and VMs, for Prometheus'],
  [`bin/vimana rebalance run --exporter ${at}`, 'rebalance nodes'],
];

/** Quotes text as one shell word. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
