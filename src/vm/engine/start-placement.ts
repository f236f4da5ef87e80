import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { START_AWAY_FROM, START_ON } from '#api/operation-request';

const HOSTNAME = 'kubernetes.io/hostname';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Adds the placement that an operation requests for this start. It cannot override the VM's own constraints. */
export function withStartPlacement(
  spec: InstanceSpec,
  annotations: Readonly<Record<string, string>> = {},
): InstanceSpec {
  const { [START_ON]: on = '', [START_AWAY_FROM]: away = '' } = annotations;
  if (on !== '') return { ...spec, nodeSelector: { [HOSTNAME]: on, ...spec.nodeSelector } };
  return away === '' ? spec : { ...spec, affinity: awayFrom(spec.affinity, away) };
}

type Affinity = NonNullable<InstanceSpec['affinity']>;

function awayFrom(affinity: Affinity | undefined, host: string): Affinity {
  const { nodeAffinity } = affinity ?? {};
  const terms = nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? [{}];
  const elsewhere = { key: HOSTNAME, operator: 'NotIn', values: [host] } as const;
  // Terms are ORed, so each of them needs the requirement.
  const nodeSelectorTerms = terms.map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), elsewhere],
  }));
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [REQUIRED]: { nodeSelectorTerms } } };
}
