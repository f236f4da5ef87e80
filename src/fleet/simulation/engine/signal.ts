import { parseDuration } from '#platform/base/duration';
import type { Random } from '#platform/base/random';
import type { LoadSignal } from './scenario-spec.ts';

/** Value at a time in milliseconds from the start. Times never decrease between calls. */
export type Signal = (time: number) => number;

type Sine = NonNullable<LoadSignal['sine']>;
type Trace = NonNullable<LoadSignal['trace']>;
type Walk = NonNullable<LoadSignal['randomWalk']>;

/**
 * Returns the signal that a scenario defines. Only a random walk draws, and so needs its own random source for each VM.
 */
export function signalOf({ constant, sine, trace, randomWalk }: LoadSignal, random: Random): Signal {
  if (sine !== undefined) return sineOf(sine);
  if (trace !== undefined) return traceOf(trace);
  if (randomWalk !== undefined) return walkOf(randomWalk, random);
  const { value = 0 } = constant ?? {};
  return () => value;
}

function sineOf({ mean, amplitude, period, peakAt }: Sine): Signal {
  const [length, peak] = [parseDuration(period), parseDuration(peakAt)];
  return (time) => Math.max(0, mean + amplitude * Math.cos((2 * Math.PI * (time - peak)) / length));
}

function traceOf({ points: written, interpolation, repeat }: Trace): Signal {
  const points = written.map(({ at, value }) => ({ at: parseDuration(at), value }));
  const end = points.at(-1)?.at ?? 0;
  return (time) => {
    const at = repeat && end > 0 ? time % end : time;
    const after = points.findIndex((point) => point.at > at);
    const before = points.at(after === -1 ? -1 : after - 1);
    const next = points[after];
    if (after === 0 || before === undefined) return points[0]?.value ?? 0;
    if (next === undefined || interpolation === 'step') return before.value;
    return before.value + ((next.value - before.value) * (at - before.at)) / (next.at - before.at);
  };
}

/** Returns a random walk. Steps are drawn in order, so that the value at a time does not depend on when it is read. */
function walkOf({ start, step, interval, min, max }: Walk, random: Random): Signal {
  const every = parseDuration(interval);
  let [taken, value] = [0, start];
  return (time) => {
    for (const desired = Math.floor(time / every); taken < desired; taken++) {
      value = reflect(value + random.normal(0, step), min, max);
    }
    return value;
  };
}

/** Reflects a step at a bound, so that values do not accumulate there. */
function reflect(value: number, min: number, max: number): number {
  const inside = value < min ? 2 * min - value : value > max ? 2 * max - value : value;
  return Math.min(max, Math.max(min, inside));
}
