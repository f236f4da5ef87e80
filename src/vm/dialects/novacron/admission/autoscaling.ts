import type { VMPool } from '#api/novacron/vm-pool';
import { parseDuration } from '#platform/base/duration';
import { type FieldError, index, invalid } from '#platform/base/field-error';
import { positiveDuration, positiveQuantity } from '#vm/admission/amounts';
import { validateLabelSelector } from '#vm/admission/placement';

type Autoscaling = NonNullable<VMPool['spec']['autoscaling']>;
type Predictive = NonNullable<Autoscaling['predictive']>;

export function validateAutoscaling(field: string, { metrics = [], predictive }: Autoscaling): FieldError[] {
  return [
    ...metrics.flatMap(({ metric, targetValue }, i) => {
      const at = index(`${field}.metrics`, i);
      return [
        ...validateLabelSelector(`${at}.metric.selector`, metric?.selector),
        ...positiveQuantity(`${at}.targetValue`, targetValue),
      ];
    }),
    ...(predictive === undefined ? [] : validatePredictive(`${field}.predictive`, predictive)),
  ];
}

function validatePredictive(field: string, { lookbackWindow, forecastHorizon }: Predictive): FieldError[] {
  const causes = [
    ...positiveDuration(`${field}.lookbackWindow`, lookbackWindow),
    ...positiveDuration(`${field}.forecastHorizon`, forecastHorizon),
  ];
  if (causes.length > 0 || parseDuration(forecastHorizon) < parseDuration(lookbackWindow)) return causes;
  return [
    invalid(`${field}.forecastHorizon`, forecastHorizon, `must be shorter than lookbackWindow, ${lookbackWindow}`),
  ];
}

/** Returns warnings for settings that have no effect. */
export function autoscalingWarnings(field: string, { enabled, metrics = [], predictive }: Autoscaling): string[] {
  if (enabled) return [];
  return [
    ...(metrics.length > 0 ? [`${field}.metrics has no effect: autoscaling is not enabled`] : []),
    ...(predictive?.enabled === true ? [`${field}.predictive has no effect: autoscaling is not enabled`] : []),
  ];
}
