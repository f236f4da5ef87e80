import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { PHASES, type Phase, type VirtualMachine } from '#api/simulation/virtual-machine';
import { type Condition, withTransitionTime } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import { failureOf, shutdownCondition } from '../recorded-state.ts';

/** Returns the conditions of a simulated VM: its own, and the history of its phases, which is bounded. */
export function conditionsOf(vm: VirtualMachine, phase: Phase, observed: ObservedVm, now: string): Condition[] {
  const before = vm.status?.conditions;
  const { instance, recorded, restartRequired } = observed;
  const placed = instance?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const failure = failureOf(before, observed, now);
  return [
    readyOf(before, phase, now),
    ...(placed === undefined ? [] : [placed]),
    ...(failure === undefined ? [] : [failure]),
    ...(restartRequired.length === 0 ? [] : [restartOf(before, now)]),
    ...(recorded.lastShutdown === undefined ? [] : [shutdownCondition(recorded.lastShutdown)]),
    ...history(before, phase, instance, now),
  ];
}

function readyOf(before: readonly Condition[] | undefined, phase: Phase, now: string): Condition {
  const runs = phase === 'Running';
  return withTransitionTime(before, { type: 'Ready', status: runs ? 'True' : 'False', ...REASONS[phase] }, now);
}

function restartOf(before: readonly Condition[] | undefined, now: string): Condition {
  const message = 'spec.resources has changed: the pod keeps its current requests until the next start';
  return withTransitionTime(
    before,
    { type: 'RestartRequired', status: 'True', reason: 'RestartRequired', message },
    now,
  );
}

const REASONS: Readonly<Record<Phase, { readonly reason: string; readonly message: string }>> = {
  Pending: { reason: 'NoPod', message: 'the pod has not been created yet' },
  Scheduling: { reason: 'PodCreated', message: 'the pod is waiting to be scheduled' },
  Scheduled: { reason: 'PodBound', message: 'the pod is scheduled but not running yet' },
  Running: { reason: 'PodRunning', message: 'the pod is running' },
  Stopped: { reason: 'NotWanted', message: 'spec.running is false' },
  Failed: { reason: 'PodFailed', message: 'the pod failed or could not be created' },
};

/** Returns one condition per phase ever entered, which is True for the current one, with its last change. */
function history(
  before: readonly Condition[] | undefined,
  phase: Phase,
  instance: VirtualMachineInstance | undefined,
  now: string,
): Condition[] {
  const times = timesOf(instance);
  return PHASES.flatMap((type): Condition[] => {
    const known = before?.find((each) => each.type === type);
    const time = times.get(type);
    if (type === phase) {
      const since = known?.status === 'True' ? (known.lastTransitionTime ?? now) : (time?.entered ?? now);
      return [{ type, status: 'True', ...REASONS[type], lastTransitionTime: since }];
    }
    if (known === undefined && time === undefined) return [];
    const left = known?.status === 'False' ? (known.lastTransitionTime ?? now) : (time?.left ?? now);
    const passed = { reason: 'Passed', message: 'the VM has been in this phase' };
    return [{ type, status: 'False', ...passed, lastTransitionTime: later(left, time?.left) }];
  });
}

const later = (a: string, b: string | undefined) => (b !== undefined && Date.parse(b) > Date.parse(a) ? b : a);

interface Stay {
  readonly entered: string;
  readonly left?: string;
}

/** Returns when an instance entered and left its phases, including those too short to be reported. */
function timesOf(instance: VirtualMachineInstance | undefined): ReadonlyMap<string, Stay> {
  const times = (instance?.status?.phaseTransitionTimestamps ?? []).flatMap(
    ({ phase, phaseTransitionTimestamp: at }) =>
      phase === undefined || at === undefined || at === null ? [] : [{ phase, at }],
  );
  return new Map(
    times.map(({ phase, at }, i) => {
      const left = times[i + 1]?.at;
      return [phase, { entered: at, ...(left === undefined ? {} : { left }) }];
    }),
  );
}
