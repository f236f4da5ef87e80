import type { Clock } from '#platform/base/clock';
import type { AwakeTime } from '#platform/runtime/awake-time';

/** Moment in time according to all available clocks. */
export interface Moment {
  readonly monotonic: number;
  /** Advances while the host sleeps, and jumps when the clock is set. */
  readonly wall: number;
  /** Advances while the host sleeps. It is too expensive to be read all the time. */
  readonly uptime?: number;
  /** Counts only the time in which this process ran. */
  readonly awake: number;
}

/** Reads the clocks. `exact` includes the uptime. */
export function momentOf(clock: Clock, awake: AwakeTime, exact: boolean): Moment {
  const moment = { monotonic: clock.monotonic(), wall: clock.now(), awake: awake.now() };
  const uptime = exact ? clock.uptime?.() : undefined;
  return uptime === undefined ? moment : { ...moment, uptime };
}

/**
 * Returns the longest elapsed time of all clocks. A needless doubt costs one renewal, a missing one a second machine.
 */
function elapsedMs(since: Moment, now: Moment): number {
  const asleep = since.uptime === undefined || now.uptime === undefined ? 0 : now.uptime - since.uptime;
  return Math.max(now.monotonic - since.monotonic, now.wall - since.wall, asleep);
}

/**
 * State of a node's Lease by the time its last successful renewal was sent.
 * - `certain`: nothing can have declared the node lost.
 * - `doubtful`: it may have been, but because this process was suspended, and the next renewal decides.
 * - `lapsed`: it may have been, and the process could not find out while it ran.
 */
export type Belief = 'certain' | 'doubtful' | 'lapsed';

/** Reports whether this much time has passed, but not while the host was awake. */
export function hasSlept(since: Moment, now: Moment, ms: number): boolean {
  return elapsedMs(since, now) >= ms && now.monotonic - since.monotonic < ms;
}

export function belief(renewed: Moment, now: Moment, fenceAfterMs: number): Belief {
  if (elapsedMs(renewed, now) < fenceAfterMs) return 'certain';
  return now.awake - renewed.awake < fenceAfterMs ? 'doubtful' : 'lapsed';
}
