import { type Condition, hasCondition, withTransitionTime } from '#vm/engine/condition';
import type { ObservedVm, Problem } from '#vm/engine/dialect';
import { isFinal, isTerminating } from '#vm/engine/instance-state';
import { failureOf, shutdownCondition } from './recorded-state.ts';

/** Conditions that several groups tell alike. */

/** A condition as it is to be told; the engine of conditions adds its time. */
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

/** What is told now, and what is remembered of the last start and the last end. `blocked`: why no start was tried. */
export function withPast(
  told: readonly ConditionDraft[],
  observed: ObservedVm,
  blocked: Problem | undefined,
  before: readonly Condition[] | undefined,
  now: string,
): Condition[] {
  const { lastShutdown } = observed.recorded;
  const failure = blocked === undefined ? failureOf(before, observed, now) : undefined;
  return [
    ...told.map((each) => withTransitionTime(before, each, now)),
    ...(failure === undefined ? [] : [failure]),
    ...(lastShutdown === undefined ? [] : [shutdownCondition(lastShutdown)]),
  ];
}

/** What a group has to say of a machine that is ready or not. */
interface Readiness {
  /** Whether it is to run. */
  readonly running: boolean;
  /** The word for the state that it is in. */
  readonly phase: string;
  readonly ready: Problem;
}

/** Ready: what the instance says of itself, and without one why there is none. */
export function readyOf(
  { instance, problem, recorded }: ObservedVm,
  { running, phase, ready }: Readiness,
): ConditionDraft {
  if (instance !== undefined && !isFinal(instance)) {
    const said = instance.status?.conditions?.find(({ type }) => type === 'Ready');
    if (hasCondition(instance.status?.conditions, 'Paused'))
      return conditionFalse('Ready', 'Paused', 'the machine stands still: it is paused');
    if (said?.status === 'True' && !isTerminating(instance)) return conditionTrue('Ready', ready.reason, ready.message);
    const why = stuckIn(instance.status?.conditions) ?? said;
    return conditionFalse('Ready', why?.reason || phase, why?.message || 'the machine does not run yet');
  }
  if (!running) return conditionFalse('Ready', 'Stopped', 'spec.running is false');
  if (problem !== undefined) return conditionFalse('Ready', problem.reason, problem.message);
  const { restarts } = recorded;
  if (restarts !== undefined) return conditionFalse('Ready', restarts.gaveUp ?? 'Restarting', restarts.message);
  return conditionFalse('Ready', phase, 'the machine does not run');
}

/** Why an instance does not come along. A disk that waits for a node has none because the pod has none: that comes first. */
function stuckIn(conditions: readonly Condition[] = []): Condition | undefined {
  const failed = (type: string) => conditions.find((each) => each.type === type && each.status === 'False');
  return failed('PodScheduled') ?? failed('Synchronized');
}

/** How fields of the instance are called in machines of a group: the first that one begins with. */
export type Paths = readonly (readonly [field: string, path: string])[];

/** RestartRequired. `blocked`: what a start would meet now. */
export function restartOf(fields: readonly string[], paths: Paths, blocked: Problem | undefined): ConditionDraft {
  const pathOf = (field: string) => {
    const found = paths.find(([start]) => field === start || field.startsWith(`${start}.`));
    return `spec.${found?.[1] ?? field}`;
  };
  const named = [...new Set(fields.map(pathOf))].join(', ');
  // Whoever restarts it now takes it down until that is there.
  const lacking = blocked?.reason === 'NotFound' ? `; a start would wait: ${blocked.message}` : '';
  const message = `changed, and not in effect before the next start: ${named}${lacking}`;
  return conditionTrue('RestartRequired', 'RestartRequired', message);
}
