/** How much carbon dioxide a kilowatt-hour stands for in a span of time: gCO2eq/kWh, times in milliseconds since 1970. */
export interface Slot {
  readonly from: number;
  /** The first moment that is no more of it. */
  readonly to: number;
  readonly intensity: number;
}

/** What was measured last counts for so long, where nothing newer is known. */
const LASTS_MS = 2 * 3_600_000;

/** The slot that says how it is at a moment: the one around it, else the one before it as long as that may still be true. */
export function slotAt(slots: readonly Slot[], at: number): Slot | undefined {
  const begun = slots.findLast(({ from }) => from <= at);
  return begun !== undefined && at < begun.to + LASTS_MS ? begun : undefined;
}

/** The first slot to come whose intensity is no higher than a limit. */
export function nextGreen(slots: readonly Slot[], after: number, limit: number): Slot | undefined {
  return slots.find(({ from, intensity }) => from > after && intensity <= limit);
}

/** The mean intensity of a span, where slots cover all of it. */
export function meanIntensity(slots: readonly Slot[], from: number, to: number): number | undefined {
  let covered = 0;
  let sum = 0;
  for (const slot of slots) {
    const ms = Math.min(slot.to, to) - Math.max(slot.from, from);
    if (ms <= 0) continue;
    covered += ms;
    sum += ms * slot.intensity;
  }
  // Slots follow each other, so that what is covered is covered once.
  return covered < to - from || covered === 0 ? undefined : sum / covered;
}

/** One measured now and those that are foretold for after it, as one row without overlaps. */
export function inOrder(current: Slot, forecast: readonly Slot[]): Slot[] {
  const later = forecast.filter(({ from }) => from > current.from).toSorted((a, b) => a.from - b.from);
  const rows = [current, ...later];
  return rows.map((slot, i) => ({ ...slot, to: Math.min(slot.to, rows[i + 1]?.from ?? slot.to) }));
}
