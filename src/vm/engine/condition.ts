import type { VirtualMachine } from '#api/kubevirt/virtual-machine';

/** Condition of Vimana's own kinds. */
export type Condition = NonNullable<NonNullable<VirtualMachine['status']>['conditions']>[number];

/** Returns the condition with its transition time: `now` if its status has changed, otherwise the previous time. */
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
