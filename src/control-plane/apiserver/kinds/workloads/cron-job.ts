import { append } from '#platform/base/append';
import { parseCron } from '#platform/base/cron';
import { type FieldError, invalid, notSupported, required } from '#platform/base/field-error';
import { isTimeZone } from '#platform/base/time-zone';
import type { KubeMeta } from '#platform/kube/kube-object';
import { validateLabels, validateNotNegative, validateOneOf } from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { podMakerWarnings } from '../pod/pod-warnings.ts';
import { defaultJobTemplate, type JobSpec, validateJobSpec } from './job.ts';

interface CronJob {
  spec?: {
    schedule?: string;
    timeZone?: string;
    concurrencyPolicy?: string;
    suspend?: boolean;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate?: { metadata?: KubeMeta; spec?: JobSpec };
  };
}

/** Maximum length of a name, since the names of its Jobs have eleven more characters. */
const MAX_NAME_LENGTH = 52;

export const cronJobs: KindStrategy<CronJob> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    spec.concurrencyPolicy ||= 'Allow';
    fill(spec, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
    const template = (spec.jobTemplate ??= {});
    template.metadata ??= {};
    defaultJobTemplate((template.spec ??= {}));
  },
  validate(object, old) {
    const { name = '' } = object.metadata;
    const causes = validateSpec(object.spec ?? {});
    return old === undefined && name.length > MAX_NAME_LENGTH
      ? [...causes, invalid('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`)]
      : causes;
  },
  warnings: ({ metadata, spec }, old) =>
    podMakerWarnings(metadata, 'spec.jobTemplate.spec.template', spec?.jobTemplate?.spec?.template, old),
};

function validateSpec(spec: NonNullable<CronJob['spec']>): FieldError[] {
  const { schedule = '', jobTemplate = {} } = spec;
  const causes = schedule === '' ? [required('spec.schedule')] : validateSchedule(schedule);
  append(causes, validateNotNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds));
  if (spec.timeZone !== undefined) append(causes, validateTimeZone(spec.timeZone));
  append(causes, validateOneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']));
  append(causes, validateLabels('spec.jobTemplate.labels', jobTemplate.metadata?.labels));
  const job = jobTemplate.spec ?? {};
  append(causes, validateJobSpec('spec.jobTemplate.spec', job));
  if (job.manualSelector === true) {
    causes.push(notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']));
  }
  if (job.selector !== undefined) {
    causes.push(invalid('spec.jobTemplate.spec.selector', job.selector, '`selector` will be auto-generated'));
  }
  append(causes, validateNotNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit));
  return [...causes, ...validateNotNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit)];
}

function validateSchedule(schedule: string): FieldError[] {
  const refuse = (detail: string) => [invalid('spec.schedule', schedule, detail)];
  if (/^(CRON_)?TZ=/.test(schedule)) return refuse('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  if (schedule.startsWith('@every ')) return [];
  const fields = schedule.trim().split(/\s+/);
  if (!schedule.startsWith('@') && fields.length !== 5) {
    return refuse(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const minutes = Number(fields[0]);
  if (minutes > 59) return refuse(`end of range (${minutes}) above maximum (59): ${fields[0]}`);
  try {
    parseCron(schedule);
    return [];
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function validateTimeZone(zone: string): FieldError[] {
  const refuse = (detail: string) => [invalid('spec.timeZone', zone, detail)];
  if (zone === '') return refuse('timeZone must be nil or non-empty string');
  if (zone.toLowerCase() === 'local') {
    return refuse('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  }
  return isTimeZone(zone) ? [] : refuse(`unknown time zone ${zone}`);
}
