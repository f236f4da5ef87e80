import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, invalid } from '#platform/base/field-error';
import { labels } from '#vm/admission/names';
import { checkPart, type ScenarioParts } from './references.ts';
import { checkWithin, isBefore } from './times.ts';

type Generator = NonNullable<SimulationScenario['spec']['taskGenerators']>[number];
type Distribution = Generator['cpu'];

export function checkGenerator(field: string, generator: Generator, parts: ScenarioParts, end: string): FieldError[] {
  const { name, creates, pool, hotSpot, from, until } = generator;
  return [
    ...checkPart(`${field}.pool`, pool, parts.pools, 'spec.vmPools'),
    ...checkPart(`${field}.hotSpot`, hotSpot, parts.hotSpots, 'spec.hotSpots'),
    ...(creates === 'vm' && parts.pools.has(name)
      ? [invalid(`${field}.name`, name, 'is the name of a pool too, so their machines would have the same names')]
      : []),
    ...checkWithin(`${field}.from`, from, end),
    ...checkWithin(`${field}.until`, until, end),
    ...(until !== undefined && !isBefore(from, until)
      ? [invalid(`${field}.until`, until, `must be after from, ${from}`)]
      : []),
    ...checkMean(`${field}.arrivals`, generator.arrivals),
    ...checkSomeTime(`${field}.arrivals`, generator.arrivals, 'time between two tasks'),
    ...checkMean(`${field}.cpu`, generator.cpu),
    ...checkMean(`${field}.memoryGi`, generator.memoryGi),
    ...checkMean(`${field}.lifetimeSeconds`, generator.lifetimeSeconds),
    ...checkSomeTime(`${field}.lifetimeSeconds`, generator.lifetimeSeconds, 'lifetime of a task'),
    ...labels(`${field}.labels`, generator.labels),
  ];
}

type Parameters = Pick<Distribution, 'value' | 'min' | 'max' | 'mean'>;

/** A mean outside the bounds would be the mean of nothing that can come. */
function checkMean(field: string, { mean, min = 0, max = Number.POSITIVE_INFINITY }: Parameters): FieldError[] {
  if (mean === undefined || max < min || (mean >= min && mean <= max)) return [];
  return [
    invalid(
      `${field}.mean`,
      mean,
      mean < min ? `may not be less than min, ${min}` : `may not be more than max, ${max}`,
    ),
  ];
}

/** A time that is always zero would let all tasks come, or go, at once. */
function checkSomeTime(field: string, { value, max }: Parameters, what: string): FieldError[] {
  return Object.entries({ value, max }).flatMap(([name, most]) =>
    most === 0 ? [invalid(`${field}.${name}`, most, `the ${what} must be more than 0`)] : [],
  );
}
