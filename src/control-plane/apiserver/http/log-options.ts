import { type FieldError, forbidden, invalid as invalidField } from '#platform/base/field-error';
import { badRequest, invalid } from '../api-error.ts';
import { flagParameter, integerParameter } from './options.ts';

/** Selects a part of a log and its format. */
export interface LogOptions {
  /** Container; '' if the pod has only one. */
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Time of the earliest line, in milliseconds. */
  readonly since?: number;
}

/** Parses the parameters of a request for the log of a pod; `now` is in milliseconds. */
export function logOptions(query: URLSearchParams, pod: string, now: number): LogOptions {
  const { tailLines } = integerParameter(query, 'tailLines');
  const { limitBytes } = integerParameter(query, 'limitBytes');
  const { sinceSeconds } = integerParameter(query, 'sinceSeconds');
  const sinceTime = timeOf(query.get('sinceTime') ?? '');
  const causes: FieldError[] = [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalidField('tailLines', tailLines, 'must be greater than or equal to 0')]
      : []),
    ...positive('limitBytes', limitBytes),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : positive('sinceSeconds', sinceSeconds)),
    ...(query.has('stream') ? [forbidden('stream', 'may not be specified')] : []),
  ];
  if (causes.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, causes);
  const since = sinceTime ?? (sinceSeconds === undefined ? undefined : now - sinceSeconds * 1000);
  return {
    container: query.get('container') ?? '',
    follow: flagParameter(query, 'follow').follow ?? false,
    previous: flagParameter(query, 'previous').previous ?? false,
    timestamps: flagParameter(query, 'timestamps').timestamps ?? false,
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(since === undefined ? {} : { since }),
  };
}

function positive(field: string, value: number | undefined): FieldError[] {
  return value === undefined || value > 0 ? [] : [invalidField(field, value, 'must be greater than 0')];
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function timeOf(text: string): number | undefined {
  if (text === '') return undefined;
  const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const quoted = JSON.stringify(text);
  throw badRequest(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
}
