/** Carbon intensity of electricity over a period: gCO2eq/kWh, with times in milliseconds since 1970. */
export interface Slot {
  readonly from: number;
  /** Exclusive end. */
  readonly to: number;
  readonly intensity: number;
}

/** Time for which the last measured slot counts if nothing newer is known. */
const LASTS_MS = 2 * 3_600_000;

/**
 * Returns the slot that applies at a time: the one that contains it, else the last one before it while that is recent
 * enough.
 */
export function slotAt(slots: readonly Slot[], at: number): Slot | undefined {
  const begun = slots.findLast(({ from }) => from <= at);
  return begun !== undefined && at < begun.to + LASTS_MS ? begun : undefined;
}

/** Returns the first later slot whose intensity is at most the limit. */
export function nextGreen(slots: readonly Slot[], after: number, limit: number): Slot | undefined {
  return slots.find(({ from, intensity }) => from > after && intensity <= limit);
}

/** Returns the mean intensity of a period if slots cover all of it. */
export function meanIntensity(slots: readonly Slot[], from: number, to: number): number | undefined {
  let covered = 0;
  let sum = 0;
  for (const slot of slots) {
    const ms = Math.min(slot.to, to) - Math.max(slot.from, from);
    if (ms <= 0) continue;
    covered += ms;
    sum += ms * slot.intensity;
  }
  // Slots do not overlap, so that no time is counted twice.
  return covered < to - from || covered === 0 ? undefined : sum / covered;
}

/** Joins the current slot and the later forecast without overlaps. */
export function inOrder(current: Slot, forecast: readonly Slot[]): Slot[] {
  const later = forecast.filter(({ from }) => from > current.from).toSorted((a, b) => a.from - b.from);
  const rows = [current, ...later];
  return rows.map((slot, i) => ({ ...slot, to: Math.min(slot.to, rows[i + 1]?.from ?? slot.to) }));
}
