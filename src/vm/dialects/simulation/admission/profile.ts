import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, index, invalid } from '#platform/base/field-error';
import { positiveDuration } from '#vm/admission/amounts';
import { isBefore } from './times.ts';

type Profile = NonNullable<SimulationScenario['spec']['profiles']>[number];
type Signal = Profile['cpu'];
type Trace = NonNullable<Signal['trace']>;
type RandomWalk = NonNullable<Signal['randomWalk']>;

export function validateProfile(field: string, { cpu, memory }: Profile): FieldError[] {
  return [
    ...validateSignal(`${field}.cpu`, cpu),
    ...(memory === undefined
      ? []
      : [...validateSignal(`${field}.memory`, memory), ...validateHeight(`${field}.memory`, memory)]),
  ];
}

function validateSignal(field: string, { sine, trace, randomWalk }: Signal): FieldError[] {
  return [
    ...positiveDuration(`${field}.sine.period`, sine?.period),
    ...(trace === undefined ? [] : validateTrace(`${field}.trace`, trace)),
    ...(randomWalk === undefined ? [] : validateWalk(`${field}.randomWalk`, randomWalk)),
  ];
}

function validateTrace(field: string, { points, repeat }: Trace): FieldError[] {
  const causes = points.flatMap(({ at }, i) => {
    const before = points[i - 1];
    return before === undefined || isBefore(before.at, at)
      ? []
      : [invalid(`${index(`${field}.points`, i)}.at`, at, `must be after the point before it, ${before.at}`)];
  });
  if (repeat && points.length < 2) causes.push(invalid(`${field}.repeat`, repeat, 'needs at least two points'));
  return causes;
}

function validateWalk(field: string, { start, min, max, interval }: RandomWalk): FieldError[] {
  return [
    ...(max < min ? [invalid(`${field}.max`, max, `may not be less than min, ${min}`)] : []),
    ...(max >= min && (start < min || start > max)
      ? [invalid(`${field}.start`, start, `must be from min to max, ${min} to ${max}`)]
      : []),
    ...positiveDuration(`${field}.interval`, interval),
  ];
}

/** A VM may demand more CPU than it has, but cannot use more memory. */
function validateHeight(field: string, { constant, sine, trace, randomWalk }: Signal): FieldError[] {
  const heights: [path: string, value: number | undefined, height?: number][] = [
    ['constant.value', constant?.value],
    ['sine.amplitude', sine?.amplitude, (sine?.mean ?? 0) + (sine?.amplitude ?? 0)],
    ...(trace?.points ?? []).map(({ value }, i): [string, number] => [`${index('trace.points', i)}.value`, value]),
    ['randomWalk.max', randomWalk?.max],
  ];
  return heights.flatMap(([path, value, height = value]) =>
    value !== undefined && height !== undefined && height > 1
      ? [invalid(`${field}.${path}`, value, 'memory use may not exceed 1')]
      : [],
  );
}

export function profileWarnings(field: string, { cpu, memory }: Profile): string[] {
  return [
    { path: `${field}.cpu`, signal: cpu },
    { path: `${field}.memory`, signal: memory },
  ].flatMap(({ path, signal }) =>
    signal?.sine !== undefined && signal.sine.amplitude > signal.sine.mean
      ? [`${path}.sine falls below 0, which counts as 0: amplitude is more than mean`]
      : [],
  );
}
