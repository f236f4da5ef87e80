/** Usage from which pressure rises, and from which it rises steeply. */
const BUSY = 0.7;
const FULL = 0.9;
/** Value at the end of the first part of the curve. The second part starts below it, and pressure must not decrease. */
const AT_BUSY = 0.049;

/**
 * Returns the ratio of time in which something waits for CPU, from the demand. A demand above 1 exceeds the capacity.
 */
export function cpuPressure(demand: number): number {
  return demand > 1 ? Math.min(1, 0.8 + 0.5 * (demand - 1)) : curve(demand);
}

/** Returns the ratio of time in which something waits for memory, from its usage. */
export function memoryPressure(usage: number): number {
  return curve(Math.min(usage, 1));
}

function curve(usage: number): number {
  if (!(usage > 0)) return 0;
  if (usage < BUSY) return Math.min(0.05, 0.07 * usage);
  if (usage < FULL) return Math.max(AT_BUSY, usage - BUSY);
  return Math.min(1, 0.2 + 0.6 * ((usage - FULL) / 0.1) ** 2);
}
