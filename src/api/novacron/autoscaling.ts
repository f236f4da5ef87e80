import type { CelRule } from '#platform/schema/json-schema';
import { labelSelector } from '#platform/schema/placement';
import {
  boolean,
  choice,
  duration,
  integer,
  list,
  object,
  quantity,
  required,
  string,
  withDescription,
} from '#platform/schema/schema';

const byType: readonly CelRule[] = [
  {
    rule: "self.type == 'custom' || has(self.targetAverageUtilization)",
    message: 'types cpu and memory need targetAverageUtilization',
    reason: 'FieldValueRequired',
    fieldPath: '.targetAverageUtilization',
  },
  {
    rule: "self.type != 'custom' || has(self.metric)",
    message: 'type custom needs the name of a metric',
    reason: 'FieldValueRequired',
    fieldPath: '.metric',
  },
  {
    rule: "self.type != 'custom' || has(self.targetValue)",
    message: 'type custom needs targetValue',
    reason: 'FieldValueRequired',
    fieldPath: '.targetValue',
  },
  {
    rule: "self.type != 'custom' || !has(self.targetAverageUtilization)",
    message: 'is for types cpu and memory; type custom has targetValue',
    reason: 'FieldValueForbidden',
    fieldPath: '.targetAverageUtilization',
  },
  {
    rule: "self.type == 'custom' || !has(self.metric)",
    message: 'is for type custom only',
    reason: 'FieldValueForbidden',
    fieldPath: '.metric',
  },
  {
    rule: "self.type == 'custom' || !has(self.targetValue)",
    message: 'is for type custom only; types cpu and memory have targetAverageUtilization',
    reason: 'FieldValueForbidden',
    fieldPath: '.targetValue',
  },
];

const metrics = list(
  'What the number of machines follows; the metric that asks for the most machines wins.',
  object(
    'A metric and its target.',
    {
      type: required(choice('What is measured.', ['cpu', 'memory', 'custom'])),
      targetAverageUtilization: integer('Average use over all machines to aim at, in percent of their size.', {
        format: 'int32',
        minimum: 1,
        maximum: 100,
      }),
      metric: object('The metric of type custom.', {
        name: required(string('Name of the metric.', { minLength: 1, maxLength: 253 })),
        selector: withDescription(labelSelector, 'Labels that the series of the metric must have; all when left out.'),
      }),
      targetValue: quantity('Value per machine to aim at, for type custom; more than 0.'),
    },
    { rules: byType },
  ),
  { maxItems: 16 },
);

const predictive = object('Scales ahead of demand that is foreseen.', {
  enabled: boolean('Whether forecasts are made.', { default: false }),
  model: choice('How the forecast is made.', ['arima', 'lstm', 'prophet'], { default: 'arima' }),
  lookbackWindow: duration('How much of the past is learned from.', { default: '7d' }),
  forecastHorizon: duration('How far ahead is looked; shorter than lookbackWindow.', { default: '1h' }),
});

const direction = (description: string, window: string) =>
  object(description, {
    stabilizationWindowSeconds: integer(
      `For how long the most cautious of the recent wishes counts, in seconds; ${window} when left out.`,
      { format: 'int32', minimum: 0, maximum: 3600 },
    ),
    policies: list(
      'Limits of one step; no limit when empty.',
      object('At most so many machines in so much time.', {
        type: required(choice('Whether value counts machines or is in percent of them.', ['Pods', 'Percent'])),
        value: required(integer('How many machines, or how many percent.', { format: 'int32', minimum: 1 })),
        periodSeconds: required(
          integer('In how much time, in seconds.', { format: 'int32', minimum: 1, maximum: 1800 }),
        ),
      }),
      { maxItems: 16 },
    ),
    selectPolicy: choice(
      'Which policy counts: the one that allows most, the one that allows least, or no scaling in this direction.',
      ['Max', 'Min', 'Disabled'],
      { default: 'Max' },
    ),
  });

export const autoscaling = object(
  'How the number of machines follows demand.',
  {
    enabled: boolean('Whether the number of machines is changed at all.', { default: false }),
    metrics,
    predictive,
    behavior: object('How fast the number of machines may change.', {
      scaleUp: direction('Limits on the way up.', '0'),
      scaleDown: direction('Limits on the way down.', '300'),
    }),
  },
  {
    rules: [
      {
        rule: '!self.enabled || (has(self.metrics) && size(self.metrics) > 0)',
        message: 'autoscaling needs at least one metric',
        reason: 'FieldValueRequired',
        fieldPath: '.metrics',
      },
    ],
  },
);
