import type { CelRule } from '#platform/schema/json-schema';
import { boolean, choice, duration, list, number, object, required } from '#platform/schema/schema';
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
    message: `is for type ${shape} only`,
    reason: 'FieldValueForbidden',
    fieldPath: `.${shape}`,
  },
]);

const share = (description: string) => number(`${description}, as a share.`, { minimum: 0 });

const signal = (what: string) =>
  object(
    `${what} of a machine over simulated time, as a share of its size.`,
    {
      type: required(choice('Shape of the curve.', SHAPES)),
      constant: object('Always the same.', { value: required(share('The value')) }),
      sine: object('Rises and falls once in every period; below 0 it counts as 0.', {
        mean: required(share('Middle of the curve')),
        amplitude: required(share('How far it goes up and down from the mean')),
        period: duration('Time from one peak to the next.', { default: '24h' }),
        peakAt: duration('When the first peak is, counted from the start.', { default: '14h' }),
      }),
      trace: object('Follows recorded points.', {
        points: required(
          list(
            'The points, in the order of their times.',
            object('A point.', {
              at: required(duration('When, counted from the start.')),
              value: required(share('The value from then on')),
            }),
            { minItems: 1, maxItems: 1440 },
          ),
        ),
        interpolation: choice(
          'What happens between two points: the value holds, or goes straight to the next.',
          ['step', 'linear'],
          {
            default: 'linear',
          },
        ),
        repeat: boolean('Whether it begins anew after the last point; otherwise the last value holds.', {
          default: false,
        }),
      }),
      randomWalk: object('Drifts by chance within bounds, the same way for the same seed.', {
        start: required(share('First value')),
        step: required(share('Standard deviation of one step')),
        interval: duration('Time between two steps.', { default: '5m' }),
        min: number('Lower bound, as a share.', { minimum: 0, default: 0 }),
        max: number('Upper bound, as a share.', { minimum: 0, default: 1 }),
      }),
    },
    { rules: blockOfType },
  );

export const profiles = list(
  'How busy machines are over time; pools name them.',
  object('How busy a machine is over time.', {
    name: required(partName('Name of the profile, unique in the scenario.')),
    cpu: required(signal('CPU use')),
    memory: signal('Memory use'),
  }),
  { keys: ['name'], maxItems: 64 },
);
