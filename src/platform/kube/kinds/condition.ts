/** Condition in the status of most built-in kinds. */
export interface KubeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly lastUpdateTime?: string | null;
  readonly lastHeartbeatTime?: string | null;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

export function conditionOf(conditions: readonly KubeCondition[] | undefined, type: string): KubeCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * Returns the conditions with one of them set, at its position or at the end. Its last transition time is `now` if its
 * status changed, and otherwise stays.
 */
export function withCondition(
  conditions: readonly KubeCondition[] | undefined,
  condition: KubeCondition,
  now: string,
): KubeCondition[] {
  const before = conditionOf(conditions, condition.type);
  const since = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
  const next = { ...condition, lastTransitionTime: since };
  if (before === undefined) return [...(conditions ?? []), next];
  return (conditions ?? []).map((present) => (present === before ? next : present));
}
