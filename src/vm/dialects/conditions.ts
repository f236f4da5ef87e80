import { type Condition, hasCondition, withTransitionTime } from '#vm/engine/condition';
import type { ObservedVm, Problem } from '#vm/engine/dialect';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import { failureOf, shutdownCondition } from './recorded-state.ts';

/** Conditions that several groups share. */

/** Condition without its transition time, which is added later. */
export type ConditionDraft = Omit<Condition, 'lastTransitionTime'>;

export const conditionFalse = (type: string, reason: string, message: string): ConditionDraft => ({
  type,
  status: 'False',
  reason,
  message,
});
export const conditionTrue = (type: string, reason: string, message: string): ConditionDraft => ({
  type,
  status: 'True',
  reason,
  message,
});

export const isUp = (instance: ObservedVm['instance']) => instance?.status?.phase === 'Running';

/** Adds the recorded results of the last start and the last shutdown. `blocked` explains why no start was attempted. */
export function withPast(
  reported: readonly ConditionDraft[],
  observed: ObservedVm,
  blocked: Problem | undefined,
  before: readonly Condition[] | undefined,
  now: string,
): Condition[] {
  const { lastShutdown } = observed.recorded;
  const failure = blocked === undefined ? failureOf(before, observed, now) : undefined;
  return [
    ...reported.map((each) => withTransitionTime(before, each, now)),
    ...(failure === undefined ? [] : [failure]),
    ...(lastShutdown === undefined ? [] : [shutdownCondition(lastShutdown)]),
  ];
}

/** Describes the readiness of a VM in the terms of its group. */
interface Readiness {
  /** The VM should run. */
  readonly running: boolean;
  /** Word for the current phase. */
  readonly phase: string;
  readonly ready: Problem;
}

/** Returns the Ready condition: that of the instance, or the reason why there is none. */
export function readyOf(
  { instance, problem, recorded }: ObservedVm,
  { running, phase, ready }: Readiness,
): ConditionDraft {
  if (instance !== undefined && !isFinal(instance)) {
    const said = instance.status?.conditions?.find(({ type }) => type === 'Ready');
    if (hasCondition(instance.status?.conditions, 'Paused'))
      return conditionFalse('Ready', 'Paused', 'the VM is paused');
    if (said?.status === 'True' && !isTerminating(instance)) return conditionTrue('Ready', ready.reason, ready.message);
    const why = stuckIn(instance.status?.conditions) ?? said;
    return conditionFalse('Ready', why?.reason || phase, why?.message || 'the VM is not running yet');
  }
  if (!running) return conditionFalse('Ready', 'Stopped', 'spec.running is false');
  if (problem !== undefined) return conditionFalse('Ready', problem.reason, problem.message);
  const { restarts } = recorded;
  if (restarts !== undefined) return conditionFalse('Ready', restarts.gaveUp ?? 'Restarting', restarts.message);
  return conditionFalse('Ready', phase, 'the VM is not running');
}

/** Returns why an instance makes no progress. Scheduling comes first, since a waiting claim needs the pod's node. */
function stuckIn(conditions: readonly Condition[] = []): Condition | undefined {
  const failed = (type: string) => conditions.find((each) => each.type === type && each.status === 'False');
  return failed('PodScheduled') ?? failed('Synchronized');
}

/** Maps instance fields to the field names of a group. The first matching prefix applies. */
export type Paths = readonly (readonly [field: string, path: string])[];

/** Returns the RestartRequired condition. `blocked` is what a start would encounter now. */
export function restartOf(fields: readonly string[], paths: Paths, blocked: Problem | undefined): ConditionDraft {
  const pathOf = (field: string) => {
    const found = paths.find(([start]) => field === start || field.startsWith(`${start}.`));
    return `spec.${found?.[1] ?? field}`;
  };
  const named = [...new Set(fields.map(pathOf))].join(', ');
  // A restart now would keep the VM stopped until that exists.
  const lacking = blocked?.reason === 'NotFound' ? `; the next start would wait: ${blocked.message}` : '';
  const message = `spec changes require a restart: ${named}${lacking}`;
  return conditionTrue('RestartRequired', 'RestartRequired', message);
}
