import { DIALECT_NAMES, type DialectName, GROUPS } from '#api/groups';
import { REGISTRATIONS } from '#vm/dialects/registrations';

export interface Situation {
  /** Requested groups. */
  readonly dialects: readonly DialectName[];
  /** Groups whose VMs the cluster serves. */
  readonly known: readonly DialectName[];
  readonly examples: boolean;
  /** Operator that already manages VMs. */
  readonly operator?: string;
}

/** Returns what to type after an installation. */
export function nextSteps({ dialects, known, examples, operator }: Situation): string {
  const flag = dialects.length === DIALECT_NAMES.length ? '' : ` --dialects ${dialects.join(',')}`;
  // A short name is unambiguous if there is only one kind.
  const machines = (name: DialectName) => (known.length === 1 ? 'vm' : `vm.${GROUPS[name]}`);
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
  return `\nNext:${acting}\n\n${lines.map(([command, why]) => `  ${command.padEnd(width)}  # ${why}\n`).join('')}`;
}
