import type { CelRule } from '#platform/schema/json-schema';
import { choice, number, object } from '#platform/schema/schema';

/** Parameters of each distribution. min and max also bound the values of normal and exponential. */
const PARAMETERS = {
  constant: { needs: ['value'], refuses: ['mean', 'stddev', 'min', 'max'] },
  uniform: { needs: ['min', 'max'], refuses: ['value', 'mean', 'stddev'] },
  normal: { needs: ['mean', 'stddev'], refuses: ['value'] },
  exponential: { needs: ['mean'], refuses: ['value', 'stddev'] },
} as const;

const types = Object.entries(PARAMETERS);
const needed = types.flatMap(([type, { needs }]) =>
  needs.map(
    (name): CelRule => ({
      rule: `self.type != '${type}' || has(self.${name})`,
      message: `type ${type} needs ${name}`,
      reason: 'FieldValueRequired',
      fieldPath: `.${name}`,
    }),
  ),
);
const rejected = types.flatMap(([type, { refuses }]) =>
  refuses.map(
    (name): CelRule => ({
      rule: `self.type != '${type}' || !has(self.${name})`,
      message: `type ${type} does not take ${name}`,
      reason: 'FieldValueForbidden',
      fieldPath: `.${name}`,
    }),
  ),
);

const ordered: CelRule = {
  rule: '!has(self.min) || !has(self.max) || self.min <= self.max',
  message: 'may not be less than min',
  fieldPath: '.max',
};

const fields = (unit: string) => ({
  value: number(`The value of type constant, in ${unit}.`, { minimum: 0 }),
  min: number(`Smallest value, in ${unit}; required for uniform, a bound for normal and exponential.`, { minimum: 0 }),
  max: number(`Largest value, in ${unit}; required for uniform, a bound for normal and exponential.`, { minimum: 0 }),
  mean: number(`Mean, in ${unit}, of types normal and exponential.`, { minimum: 0, exclusiveMinimum: true }),
  stddev: number(`Standard deviation, in ${unit}, of type normal.`, { minimum: 0 }),
});

/** Returns the schema of a random quantity that is never negative. */
export function distribution(what: string, unit: string) {
  return object(
    `${what}, in ${unit}.`,
    {
      type: choice('Type of distribution.', ['constant', 'uniform', 'normal', 'exponential'], { default: 'constant' }),
      ...fields(unit),
    },
    { rules: [...needed, ...rejected, ordered] },
  );
}

/** Arrival times: at a rate (poisson), or with a random interval between two arrivals. */
export const arrivals = object(
  'When tasks arrive: at a mean rate (poisson), or each after a random interval.',
  {
    type: choice('Type of distribution.', ['poisson', 'constant', 'uniform', 'normal', 'exponential'], {
      default: 'poisson',
    }),
    ratePerHour: number('Mean number of tasks per simulated hour, for type poisson.', {
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 1_000_000,
    }),
    ...fields('seconds'),
  },
  {
    rules: [
      ...needed,
      ...rejected,
      ordered,
      {
        rule: "self.type != 'poisson' || has(self.ratePerHour)",
        message: 'type poisson needs ratePerHour',
        reason: 'FieldValueRequired',
        fieldPath: '.ratePerHour',
      },
      {
        rule: "self.type == 'poisson' || !has(self.ratePerHour)",
        message: 'may only be set with type poisson',
        reason: 'FieldValueForbidden',
        fieldPath: '.ratePerHour',
      },
      {
        rule: "self.type != 'poisson' || !(has(self.value) || has(self.min) || has(self.max) || has(self.mean) || has(self.stddev))",
        message: 'type poisson takes ratePerHour and no other parameter',
        reason: 'FieldValueForbidden',
      },
    ],
  },
);
