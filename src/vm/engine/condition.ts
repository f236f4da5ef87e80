import type { VirtualMachine } from '#api/kubevirt/virtual-machine';

/** A condition as our own kinds have it. */
export type Condition = NonNullable<NonNullable<VirtualMachine['status']>['conditions']>[number];

/** A condition as it should stand: its time is `now` where its status is another than before, and else stays. */
export function withTransitionTime(
  before: readonly Condition[] | undefined,
  condition: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition {
  const known = before?.find(({ type }) => type === condition.type);
  const since = known?.status === condition.status ? (known.lastTransitionTime ?? now) : now;
  return { ...condition, lastTransitionTime: since };
}

export function hasCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
  status: Condition['status'] = 'True',
) {
  return conditions?.some((condition) => condition.type === type && condition.status === status) === true;
}
