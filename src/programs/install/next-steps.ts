import { DIALECT_NAMES, type DialectName, GROUPS } from '#api/groups';
import { withInstalledPaths } from '#programs/cli/installed-paths';
import { REGISTRATIONS } from '#vm/dialects/registrations';

export interface Situation {
  /** Requested groups. */
  readonly dialects: readonly DialectName[];
  /** Group that the short name `vm` means. */
  readonly vmShortName: string;
  readonly examples: boolean;
  /** Operator that already manages VMs. */
  readonly operator?: string;
}

/** Returns what to type after an installation. */
export function nextSteps({ dialects, vmShortName, examples, operator }: Situation): string {
  const flag = dialects.length === DIALECT_NAMES.length ? '' : ` --dialects ${dialects.join(',')}`;
  const machines = (name: DialectName) => (GROUPS[name] === vmShortName ? 'vm' : `virtualmachines.${GROUPS[name]}`);
  const lines: (readonly [command: string, why: string])[] = [
    ...(operator === undefined
      ? [
          [`bin/vimana operator${flag} --webhook-port 0`, 'run the operator here'] as const,
          ['kubectl apply -f deploy/operator/', 'or run it in the cluster, with webhooks'] as const,
        ]
      : []),
    ...dialects.flatMap((name) => [
      ...(examples ? [] : [[`kubectl apply -f ${REGISTRATIONS[name].example}`, `create ${GROUPS[name]} VMs`] as const]),
      [`kubectl get ${machines(name)}`, 'list VMs'] as const,
    ]),
    [`bin/vimana uninstall${flag}`, 'uninstall'],
  ];
  const width = Math.max(...lines.map(([command]) => command.length));
  const acting = operator === undefined ? '' : ` The operator ${operator} manages the VMs of this cluster.`;
  const shown = lines.map(([command, why]) => `  ${command.padEnd(width)}  # ${why}\n`).join('');
  return withInstalledPaths(`\nNext:${acting}\n\n${shown}`);
}
