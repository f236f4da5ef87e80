/** Where pressure begins to rise, and where it rises steeply. */
const BUSY = 0.7;
const FULL = 0.9;
/** What the first part of the curve comes to at its end; the second begins below it, and pressure must not fall. */
const AT_BUSY = 0.049;

/** The share of time in which something waits for CPU, from how much is asked for; a demand above 1 is more than there is. */
export function cpuPressure(demand: number): number {
  return demand > 1 ? Math.min(1, 0.8 + 0.5 * (demand - 1)) : curve(demand);
}

/** The share of time in which something waits for memory, from how much is used. */
export function memoryPressure(usage: number): number {
  return curve(Math.min(usage, 1));
}

function curve(usage: number): number {
  if (!(usage > 0)) return 0;
  if (usage < BUSY) return Math.min(0.05, 0.07 * usage);
  if (usage < FULL) return Math.max(AT_BUSY, usage - BUSY);
  return Math.min(1, 0.2 + 0.6 * ((usage - FULL) / 0.1) ** 2);
}
