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
  requiredField,
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
    message: 'type custom needs a metric',
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
    message: 'may only be set with types cpu and memory; type custom uses targetValue',
    reason: 'FieldValueForbidden',
    fieldPath: '.targetAverageUtilization',
  },
  {
    rule: "self.type == 'custom' || !has(self.metric)",
    message: 'may only be set with type custom',
    reason: 'FieldValueForbidden',
    fieldPath: '.metric',
  },
  {
    rule: "self.type == 'custom' || !has(self.targetValue)",
    message: 'may only be set with type custom; types cpu and memory use targetAverageUtilization',
    reason: 'FieldValueForbidden',
    fieldPath: '.targetValue',
  },
];

const metrics = list(
  'Metrics that determine the number of VMs; the one that requires the most VMs wins.',
  object(
    'A metric and its target.',
    {
      type: requiredField(choice('Type of metric.', ['cpu', 'memory', 'custom'])),
      targetAverageUtilization: integer('Target average utilization of all VMs, in percent of their size.', {
        format: 'int32',
        minimum: 1,
        maximum: 100,
      }),
      metric: object('The metric of type custom.', {
        name: requiredField(string('Name of the metric.', { minLength: 1, maxLength: 253 })),
        selector: withDescription(
          labelSelector,
          'Labels that select the series of the metric. Defaults to all series.',
        ),
      }),
      targetValue: quantity('Target value per VM, for type custom; greater than 0.'),
    },
    { rules: byType },
  ),
  { maxItems: 16 },
);

const predictive = object('Scales ahead of forecast demand.', {
  enabled: boolean('Whether forecasts are made.', { default: false }),
  model: choice('Forecast model.', ['arima', 'lstm', 'prophet'], { default: 'arima' }),
  lookbackWindow: duration('Period of past data that forecasts use.', { default: '7d' }),
  forecastHorizon: duration('Forecast horizon; shorter than lookbackWindow.', { default: '1h' }),
});

const direction = (description: string, window: string) =>
  object(description, {
    stabilizationWindowSeconds: integer(
      `Stabilization window in seconds: the most conservative recent recommendation applies. Defaults to ${window}.`,
      { format: 'int32', minimum: 0, maximum: 3600 },
    ),
    policies: list(
      'Limits of a scaling step. Default to those of a HorizontalPodAutoscaler: up by 4 VMs or 100% in 15 seconds, whichever is more; down by any number.',
      object('Maximum change within a period.', {
        type: requiredField(choice('Whether value is a number of VMs or a percentage.', ['Pods', 'Percent'])),
        value: requiredField(
          integer('Maximum change, as a number of VMs or a percentage.', { format: 'int32', minimum: 1 }),
        ),
        periodSeconds: requiredField(integer('Period in seconds.', { format: 'int32', minimum: 1, maximum: 1800 })),
      }),
      { maxItems: 16 },
    ),
    selectPolicy: choice(
      'Which policy applies: the one that allows the largest change, the one that allows the smallest, or no scaling in this direction.',
      ['Max', 'Min', 'Disabled'],
      { default: 'Max' },
    ),
  });

export const autoscaling = object(
  'Autoscaling of the pool.',
  {
    enabled: boolean('Whether autoscaling is enabled.', { default: false }),
    metrics,
    predictive,
    behavior: object('How fast the number of VMs may change.', {
      scaleUp: direction('Limits for scaling up.', '0'),
      scaleDown: direction('Limits for scaling down.', '300'),
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
