import type { CelRule } from '#platform/schema/json-schema';
import { boolean, choice, duration, list, number, object, requiredField } from '#platform/schema/schema';
import { partName } from './names.ts';

const SHAPES = ['constant', 'sine', 'trace', 'randomWalk'] as const;

/** Each shape requires its block and forbids the others. */
const blockOfType: readonly CelRule[] = SHAPES.flatMap((shape): CelRule[] => [
  {
    rule: `self.type != '${shape}' || has(self.${shape})`,
    message: `type ${shape} needs ${shape}`,
    reason: 'FieldValueRequired',
    fieldPath: `.${shape}`,
  },
  {
    rule: `self.type == '${shape}' || !has(self.${shape})`,
    message: `may only be set with type ${shape}`,
    reason: 'FieldValueForbidden',
    fieldPath: `.${shape}`,
  },
]);

const share = (description: string) => number(`${description}, as a fraction.`, { minimum: 0 });

const signal = (what: string) =>
  object(
    `${what} of a VM over simulated time, as a fraction of its size.`,
    {
      type: requiredField(choice('Shape of the curve.', SHAPES)),
      constant: object('Constant value.', { value: requiredField(share('The value')) }),
      sine: object('Sine curve with one peak per period; negative values count as 0.', {
        mean: requiredField(share('Mean of the curve')),
        amplitude: requiredField(share('Amplitude around the mean')),
        period: duration('Time from one peak to the next.', { default: '24h' }),
        peakAt: duration('Time of the first peak, from the start.', { default: '14h' }),
      }),
      trace: object('Follows recorded points.', {
        points: requiredField(
          list(
            'Points in chronological order.',
            object('A point.', {
              at: requiredField(duration('Time from the start.')),
              value: requiredField(share('The value from then on')),
            }),
            { minItems: 1, maxItems: 1440 },
          ),
        ),
        interpolation: choice(
          'Interpolation between points: the value holds, or changes linearly.',
          ['step', 'linear'],
          {
            default: 'linear',
          },
        ),
        repeat: boolean('Whether it repeats after the last point; otherwise the last value holds.', {
          default: false,
        }),
      }),
      randomWalk: object('Random walk within bounds, reproducible with the same seed.', {
        start: requiredField(share('First value')),
        step: requiredField(share('Standard deviation of one step')),
        interval: duration('Time between two steps.', { default: '5m' }),
        min: number('Lower bound, as a fraction.', { minimum: 0, default: 0 }),
        max: number('Upper bound, as a fraction.', { minimum: 0, default: 1 }),
      }),
    },
    { rules: blockOfType },
  );

export const profiles = list(
  'Utilization of VMs over time; pools refer to them.',
  object('Utilization of a VM over time.', {
    name: requiredField(partName('Name of the profile, unique in the scenario.')),
    cpu: requiredField(signal('CPU utilization')),
    memory: signal('Memory utilization'),
  }),
  { keys: ['name'], maxItems: 64 },
);
