import { resolve } from 'node:path';
import { type DialectName, GROUPS } from '#api/groups';
import type { UpSettings } from '#programs/cli/up';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import { defaultDataDir } from './data-dir.ts';

export interface Started {
  readonly settings: Pick<UpSettings, 'dialects' | 'ephemeral'>;
  readonly kubeconfig: string;
  readonly dataDir: string;
  /** Short names refer to other kinds than at the previous start. */
  readonly renamed: boolean;
  /** File with the token for HTTP clients of other users. */
  readonly tokenFile: string;
  /** URL of the exporter, if it is on. */
  readonly exporter?: string;
}

type Line = readonly [command: string, why: string];

/** Returns commands to try now, for the chosen groups. */
export function whatNext({ settings, kubeconfig, dataDir, renamed, tokenFile, exporter }: Started): string {
  const which = dataDir === resolve(defaultDataDir('up')) ? '' : ` --data-dir ${shellWord(dataDir)}`;
  const kept = settings.ephemeral ? 'its objects are not retained' : 'its objects are retained for the next start';
  const lines = [...tries(settings.dialects, renamed), ...(exporter === undefined ? [] : exporterTries(exporter))];
  const width = Math.max(...lines.map(([command]) => command.length));
  return `
Ready. In another terminal:

  export KUBECONFIG=${shellWord(kubeconfig)}
${lines.map(([command, why]) => `  ${command.padEnd(width)}  # ${why}\n`).join('')}
HTTP clients of other users and hosts need the token in ${shellWord(tokenFile)} to make changes.
Stop it with Ctrl-C or bin/vimana down${which}; ${kept}.
`;
}

function tries(dialects: readonly DialectName[], renamed: boolean): Line[] {
  // kubectl caches discovery for hours, including the meaning of a short name.
  const again: Line = ['kubectl api-resources', 'refresh the cache of kubectl: vm now means other kinds'];
  return [
    ...(renamed ? [again] : []),
    ['kubectl get vmi -o wide', 'list running VMs'],
    ['kubectl get nodes,pods', 'list nodes and pods'],
    ['bin/vimana vm list -o wide', 'list VMs of every API group'],
    ...(dialects.includes('kubevirt') ? [['bin/vimana vm migrate NAME --wait', 'live-migrate a VM'] as const] : []),
    ...dialects.map(
      (name): Line => [`kubectl apply -f ${REGISTRATIONS[name].example}`, `create more ${GROUPS[name]} VMs`],
    ),
  ];
}

const exporterTries = (at: string): Line[] => [
  [`curl -s ${at}/metrics`, 'usage of nodes and VMs, for Prometheus'],
  [`bin/vimana rebalance run --exporter ${at}`, 'rebalance nodes'],
];

/** Quotes text as one shell word. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
