import { parseDuration } from '#platform/base/duration';
import { ParseError } from '#platform/base/errors';

/** Value at a time after midnight, in milliseconds. */
export interface TracePoint {
  readonly at: number;
  readonly value: number;
}

/** Returns the value at a time, linearly interpolated between ordered points. */
export function traceAt(points: readonly TracePoint[], time: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [points[low - 1], points[low]];
  if (before === undefined) return after?.value ?? 0;
  if (after === undefined) return before.value;
  return before.value + ((after.value - before.value) * (time - before.at)) / (after.at - before.at);
}

/** Parses a trace file: lines of `time value` or `time,value`, time in seconds or as a duration; # begins a comment. */
export function parseTrace(text: string): TracePoint[] {
  const points: TracePoint[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const [content = ''] = line.split('#');
    if (content.trim() === '') continue;
    const [time = '', value = '', ...rest] = content.trim().split(/[\s,;]+/);
    const at = /^[0-9.]+$/.test(time) ? Number(time) * 1000 : durationOf(time);
    const read = Number(value);
    if (!(at >= 0) || value === '' || !(read >= 0) || rest.length > 0) {
      throw new ParseError(`line ${i + 1} of the trace is not a time and a value: "${line.trim()}"`);
    }
    points.push({ at, value: read });
  }
  return points.toSorted((a, b) => a.at - b.at);
}

function durationOf(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    return Number.NaN;
  }
}
