import type { Clock } from '#platform/base/clock';
import type { AwakeTime } from '#platform/runtime/awake-time';

/** A moment by all clocks there are. */
export interface Moment {
  readonly monotonic: number;
  /** Goes on while the host sleeps, and jumps when somebody sets it. */
  readonly wall: number;
  /** Goes on while the host sleeps; too dear to be asked for all the time. */
  readonly uptime?: number;
  /** Only the time in which this process ran. */
  readonly awake: number;
}

/** `exact`: by the uptime as well. */
export function momentOf(clock: Clock, awake: AwakeTime, exact: boolean): Moment {
  const moment = { monotonic: clock.monotonic(), wall: clock.now(), awake: awake.now() };
  const uptime = exact ? clock.uptime?.() : undefined;
  return uptime === undefined ? moment : { ...moment, uptime };
}

/** What has passed by the clock that shows most: a needless doubt costs one renewal, and a missing one a second machine. */
function elapsed(since: Moment, now: Moment): number {
  const asleep = since.uptime === undefined || now.uptime === undefined ? 0 : now.uptime - since.uptime;
  return Math.max(now.monotonic - since.monotonic, now.wall - since.wall, asleep);
}

/**
 * What a node may believe of its Lease by the time that it sent its last renewal that arrived. `certain`: nobody can have
 * declared it lost. `doubtful`: somebody can, but it was this process that stood still; the next renewal decides.
 * `lapsed`: somebody can, and it could not be found out for as long as the process ran.
 */
export type Belief = 'certain' | 'doubtful' | 'lapsed';

/** Whether so much time has passed, though not while the host was awake. */
export function hasSlept(since: Moment, now: Moment, ms: number): boolean {
  return elapsed(since, now) >= ms && now.monotonic - since.monotonic < ms;
}

export function belief(renewed: Moment, now: Moment, fenceAfterMs: number): Belief {
  if (elapsed(renewed, now) < fenceAfterMs) return 'certain';
  return now.awake - renewed.awake < fenceAfterMs ? 'doubtful' : 'lapsed';
}
