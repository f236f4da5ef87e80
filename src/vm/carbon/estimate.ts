import { gramsOf } from './power-model.ts';
import { meanIntensity, type Slot, slotAt } from './slot.ts';

export interface EmissionsRun {
  readonly watts: number;
  readonly ms: number;
}

/** A run at a time: what electricity is like then, and what the run emits. */
export interface StartChoice {
  readonly startsAt: number;
  readonly intensity: number;
  readonly grams: number;
}

export interface Estimate {
  readonly kilowattHours: number;
  readonly now: StartChoice;
  /** The start that emits least, now or later; `now` where no other does better. */
  readonly best: StartChoice;
  readonly savedGrams: number;
}

/** What a run would emit now, and at the best time within the longest wait that the forecast covers; undefined where nothing is known. */
export function estimate(
  { watts, ms }: EmissionsRun,
  slots: readonly Slot[],
  now: number,
  maxDelayMs: number,
): Estimate | undefined {
  const at = (startsAt: number): StartChoice | undefined => {
    const intensity = meanIntensity(slots, startsAt, startsAt + ms);
    return intensity === undefined ? undefined : { startsAt, intensity, grams: gramsOf(watts, ms, intensity) };
  };
  // A forecast that ends before the run does tells at least how it is now.
  const level = slotAt(slots, now)?.intensity;
  const first =
    at(now) ??
    (level === undefined ? undefined : { startsAt: now, intensity: level, grams: gramsOf(watts, ms, level) });
  if (first === undefined) return undefined;
  // The mean over a window changes its direction only where one of its ends meets the edge of a slot.
  const edges = [...slots.flatMap(({ from, to }) => [from, to - ms]), now + maxDelayMs];
  const later = edges.filter((start) => start > now && start <= now + maxDelayMs).flatMap((start) => at(start) ?? []);
  const best = later.reduce((least, each) => (each.grams < least.grams ? each : least), first);
  return { kilowattHours: (watts / 1000) * (ms / 3_600_000), now: first, best, savedGrams: first.grams - best.grams };
}
