import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { type FieldError, invalid } from '#platform/base/field-error';
import { labels } from '#vm/admission/names';
import { type ScenarioParts, validatePart } from './references.ts';
import { isBefore, validateWithin } from './times.ts';

type Generator = NonNullable<SimulationScenario['spec']['taskGenerators']>[number];
type Distribution = Generator['cpu'];

export function validateGenerator(
  field: string,
  generator: Generator,
  parts: ScenarioParts,
  end: string,
): FieldError[] {
  const { name, creates, pool, hotSpot, from, until } = generator;
  return [
    ...validatePart(`${field}.pool`, pool, parts.pools, 'spec.vmPools'),
    ...validatePart(`${field}.hotSpot`, hotSpot, parts.hotSpots, 'spec.hotSpots'),
    ...(creates === 'vm' && parts.pools.has(name)
      ? [invalid(`${field}.name`, name, 'is also the name of a pool, so their VMs would have the same names')]
      : []),
    ...validateWithin(`${field}.from`, from, end),
    ...validateWithin(`${field}.until`, until, end),
    ...(until !== undefined && !isBefore(from, until)
      ? [invalid(`${field}.until`, until, `must be after from, ${from}`)]
      : []),
    ...validateMean(`${field}.arrivals`, generator.arrivals),
    ...validateSomeTime(`${field}.arrivals`, generator.arrivals, 'time between two tasks'),
    ...validateMean(`${field}.cpu`, generator.cpu),
    ...validateMean(`${field}.memoryGi`, generator.memoryGi),
    ...validateMean(`${field}.lifetimeSeconds`, generator.lifetimeSeconds),
    ...validateSomeTime(`${field}.lifetimeSeconds`, generator.lifetimeSeconds, 'lifetime of a task'),
    ...labels(`${field}.labels`, generator.labels),
  ];
}

type Parameters = Pick<Distribution, 'value' | 'min' | 'max' | 'mean'>;

/** Rejects a mean outside the bounds, which no values within them could have. */
function validateMean(field: string, { mean, min = 0, max = Number.POSITIVE_INFINITY }: Parameters): FieldError[] {
  if (mean === undefined || max < min || (mean >= min && mean <= max)) return [];
  return [
    invalid(
      `${field}.mean`,
      mean,
      mean < min ? `may not be less than min, ${min}` : `may not be more than max, ${max}`,
    ),
  ];
}

/** Rejects a time that is always zero, which would let all tasks start, or end, at once. */
function validateSomeTime(field: string, { value, max }: Parameters, what: string): FieldError[] {
  return Object.entries({ value, max }).flatMap(([name, max]) =>
    max === 0 ? [invalid(`${field}.${name}`, max, `the ${what} must be more than 0`)] : [],
  );
}
