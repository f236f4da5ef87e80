import { gramsOf } from './power-model.ts';
import { meanIntensity, type Slot, slotAt } from './slot.ts';

export interface EmissionsRun {
  readonly watts: number;
  readonly ms: number;
}

/** Start of a run at a time, with its mean intensity and emissions. */
export interface StartChoice {
  readonly startsAt: number;
  readonly intensity: number;
  readonly grams: number;
}

export interface Estimate {
  readonly kilowattHours: number;
  readonly now: StartChoice;
  /** Start with the lowest emissions. It is `now` if no later one is better. */
  readonly best: StartChoice;
  readonly savedGrams: number;
}

/**
 * Estimates the emissions of a run that starts now and at the best time within the maximum delay and forecast. Returns
 * undefined if nothing is known.
 */
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
  // A forecast that ends before the run still tells the current intensity.
  const level = slotAt(slots, now)?.intensity;
  const first =
    at(now) ??
    (level === undefined ? undefined : { startsAt: now, intensity: level, grams: gramsOf(watts, ms, level) });
  if (first === undefined) return undefined;
  // The mean over a window changes its direction only where one of its ends meets the edge of a slot.
  const edges = [...slots.flatMap(({ from, to }) => [from, to - ms]), now + maxDelayMs];
  const later = edges.filter((start) => start > now && start <= now + maxDelayMs).flatMap((start) => at(start) ?? []);
  const best = later.reduce((min, each) => (each.grams < min.grams ? each : min), first);
  return { kilowattHours: (watts / 1000) * (ms / 3_600_000), now: first, best, savedGrams: first.grams - best.grams };
}
