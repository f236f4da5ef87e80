import { parseDuration } from '#platform/base/duration';
import type { Random } from '#platform/base/random';
import type { LoadSignal } from './scenario-spec.ts';

/** A value at a time in milliseconds from the start. Who asks never goes back in time. */
export type Signal = (time: number) => number;

type Sine = NonNullable<LoadSignal['sine']>;
type Trace = NonNullable<LoadSignal['trace']>;
type Walk = NonNullable<LoadSignal['randomWalk']>;

/** The curve that a scenario writes. Only a random walk draws, and so needs a source of its own for each machine. */
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

/** Steps are drawn one after the other, so that the value at a time does not depend on when it was asked for. */
function walkOf({ start, step, interval, min, max }: Walk, random: Random): Signal {
  const every = parseDuration(interval);
  let [taken, value] = [0, start];
  return (time) => {
    for (const wanted = Math.floor(time / every); taken < wanted; taken++) {
      value = reflect(value + random.normal(0, step), min, max);
    }
    return value;
  };
}

/** A step beyond a bound turns back there, where it would otherwise pile up. */
function reflect(value: number, min: number, max: number): number {
  const inside = value < min ? 2 * min - value : value > max ? 2 * max - value : value;
  return Math.min(max, Math.max(min, inside));
}
