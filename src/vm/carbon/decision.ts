import { formatTime } from './format-time.ts';
import { nextGreen, type Slot, slotAt } from './slot.ts';

/** Input that decides whether a VM is started now. */
export interface CarbonQuestion {
  /** Intensity above which the start waits. If undefined, it never waits. */
  readonly maxIntensity: number | undefined;
  readonly maxDelayMs: number;
  readonly zone: string;
  /** Known slots of the zone in order of time: the current one and the forecast. */
  readonly slots: readonly Slot[];
  /** Reason for which nothing is known about the zone. */
  readonly problem?: string | undefined;
  /** Behavior if nothing is known. */
  readonly withoutData: 'start' | 'wait';
  /** Time since which the VM has waited for clean electricity. */
  readonly waitingSince: number | undefined;
  readonly now: number;
}

export type CarbonDecision =
  | {
      readonly do: 'start';
      readonly reason: 'GreenEnergy' | 'NoLimit' | 'MaxDelayReached' | 'NoCarbonData';
      readonly message: string;
      readonly intensity: number | undefined;
    }
  | {
      readonly do: 'wait';
      /** Time to check again without new data: the green slot starts, or the maximum delay ends. */
      readonly until: number;
      /** Next slot that is clean enough and starts in time. */
      readonly green: Slot | undefined;
      readonly reason: 'WaitingForGreenEnergy' | 'NoCarbonData';
      readonly message: string;
      readonly intensity: number | undefined;
    };

/** Decides whether to start a VM now or to wait for cleaner electricity, and until when. */
export function carbonDecision(question: CarbonQuestion): CarbonDecision {
  const { maxIntensity, maxDelayMs, zone, slots, waitingSince = question.now, now } = question;
  const intensity = slotAt(slots, now)?.intensity;
  const deadline = waitingSince + maxDelayMs;
  const latest = `at ${formatTime(deadline)} at the latest`;
  const start = (reason: StartReason, message: string): CarbonDecision => ({ do: 'start', reason, message, intensity });
  if (intensity === undefined) {
    const unknown = `the carbon intensity of ${zone} is unknown${question.problem === undefined ? '' : ` (${question.problem})`}`;
    if (question.withoutData === 'start' || maxIntensity === undefined) {
      return start('NoCarbonData', `${unknown}: started without waiting`);
    }
    if (now >= deadline) return start('MaxDelayReached', `${unknown}: started because carbonAware.maxDelay has passed`);
    const message = `${unknown}: the VM starts when it is known, ${latest}`;
    return { do: 'wait', until: deadline, green: undefined, reason: 'NoCarbonData', message, intensity };
  }
  const is = `the carbon intensity of ${zone} is ${Math.round(intensity)} gCO2/kWh`;
  if (maxIntensity === undefined) return start('NoLimit', `${is}, and carbonAware.maxIntensity sets no limit`);
  if (intensity <= maxIntensity) return start('GreenEnergy', `${is}, within the limit of ${maxIntensity}`);
  const over = `${is}, above the limit of ${maxIntensity}`;
  if (now >= deadline) {
    return start('MaxDelayReached', `${over}: started anyway because carbonAware.maxDelay has passed`);
  }
  const next = nextGreen(slots, now, maxIntensity);
  const green = next !== undefined && next.from < deadline ? next : undefined;
  return {
    do: 'wait',
    until: green?.from ?? deadline,
    green,
    reason: 'WaitingForGreenEnergy',
    message: `${over}: ${outlook(next, green)}, ${latest}`,
    intensity,
  };
}

type StartReason = Extract<CarbonDecision, { do: 'start' }>['reason'];

function outlook(next: Slot | undefined, green: Slot | undefined): string {
  if (next === undefined) return 'no green slot is forecast; the VM starts when one begins';
  const slot = `the next green slot begins at ${formatTime(next.from)} (${Math.round(next.intensity)} gCO2/kWh)`;
  return green === undefined
    ? `${slot}, too late for carbonAware.maxDelay; the VM starts`
    : `${slot}; the VM starts then`;
}
