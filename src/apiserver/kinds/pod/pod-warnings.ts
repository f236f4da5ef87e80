import { index } from '../../../base/field-error.ts';
import { tryParseQuantity } from '../../../base/quantity.ts';
import type { Container, PodSpec } from './pod-spec.ts';

/** What a writer of a pod should hear although it is accepted. */
export function podWarnings(field: string, spec: PodSpec | undefined, old?: PodSpec): string[] {
  if (spec === undefined || old !== undefined) return [];
  return [
    ...(spec.imagePullSecrets ?? []).flatMap(({ name = '' }, i) =>
      name === '' ? [`${index(`${field}.imagePullSecrets`, i)}.name: invalid empty name ""`] : [],
    ),
    ...(['initContainers', 'containers'] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, i) => containerWarnings(index(`${field}.${list}`, i), container)),
    ),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
  ];
}

function containerWarnings(field: string, { resources = {}, env = [] }: Container): string[] {
  const warnings: string[] = [];
  for (const list of ['limits', 'requests'] as const) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const amount = resources[list]?.[name];
      if (amount === undefined || (tryParseQuantity(amount)?.nano ?? 0n) % 1_000_000_000n === 0n) continue;
      warnings.push(
        `${field}.resources.${list}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
      );
    }
  }
  const seen = new Map<string, number>();
  for (const [i, { name = '' }] of env.entries()) {
    const first = seen.get(name);
    if (first === undefined) seen.set(name, i);
    else
      warnings.push(
        `${field}.env[${i}]: hides previous definition of "${name}", which may be dropped when using apply`,
      );
  }
  return warnings;
}
