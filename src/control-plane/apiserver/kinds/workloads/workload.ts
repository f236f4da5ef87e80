import { type FieldError, forbidden, invalid, notSupported } from '#platform/base/field-error';
import { type LabelSelector, matches, selectsAll, validateSelector } from '../label-selector.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';
import { validatePodTemplate } from '../pod/pod-template.ts';

/** Common spec of the kinds that manage pods. */
export interface WorkloadSpec {
  replicas?: number;
  selector?: LabelSelector | null;
  template?: PodTemplate;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

const NO_MATCH = '`selector` does not match template `labels`';

/** Validates a template, whose labels must match the selector. */
export function validateTemplate(field: string, { template = {}, selector }: WorkloadSpec): FieldError[] {
  const labels = template.metadata?.labels;
  const fits = selector !== undefined && selector !== null && matches(selector, labels);
  return [
    ...(fits ? [] : [invalid(`${field}.metadata.labels`, labels ?? null, NO_MATCH)]),
    ...validatePodTemplate(field, template),
  ];
}

/** Validates that pods run forever, since they are replaced when they finish. */
export function validateRunsForever(field: string, { spec = {} }: PodTemplate, kind: string): FieldError[] {
  const causes: FieldError[] = [];
  const { restartPolicy = '' } = spec;
  if (restartPolicy !== 'Always') causes.push(notSupported(`${field}.spec.restartPolicy`, restartPolicy, ['Always']));
  if (spec.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    causes.push(forbidden(`${field}.spec.activeDeadlineSeconds`, detail));
  }
  return causes;
}

/** Reports whether a selector is valid. */
export function isUsable(selector: LabelSelector | null | undefined): boolean {
  return selector === undefined || selector === null || validateSelector('', selector).length === 0;
}

export function validateNotEmpty(
  field: string,
  selector: LabelSelector | null | undefined,
  kind: string,
): FieldError[] {
  if (selector === undefined || selector === null || !selectsAll(selector)) return [];
  return [invalid(field, selector, `empty selector is invalid for ${kind}`)];
}

const BAD_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates a number of pods or a percentage. */
export function validateAmount(field: string, value: number | string | undefined): FieldError[] {
  if (typeof value === 'string') return /^[0-9]+%$/.test(value) ? [] : [invalid(field, value, BAD_PERCENT)];
  return (value ?? 0) < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
}

export function validateAtMostAll(field: string, value: number | string | undefined): FieldError[] {
  const percent = typeof value === 'string' ? /^([0-9]+)%$/.exec(value)?.[1] : undefined;
  return Number(percent ?? 0) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** Returns the amount as a number, for a percentage its percent. */
export function countOrPercentOf(value: number | string | undefined): number {
  return typeof value === 'string' ? Number(/^([0-9]+)%$/.exec(value)?.[1] ?? 0) : (value ?? 0);
}
