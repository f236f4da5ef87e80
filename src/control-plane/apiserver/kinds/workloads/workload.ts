import { type FieldError, forbidden, invalid, notSupported } from '#platform/base/field-error';
import { type LabelSelector, matches, selectsAll, validateSelector } from '../label-selector.ts';
import type { PodTemplate } from '../pod/pod-spec.ts';
import { validatePodTemplate } from '../pod/pod-template.ts';

/** What the kinds that keep pods have in common. */
export interface WorkloadSpec {
  replicas?: number;
  selector?: LabelSelector | null;
  template?: PodTemplate;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

const NO_MATCH = '`selector` does not match template `labels`';

/** Checks a template whose pods must be selected by the labels they get. */
export function validateTemplate(field: string, { template = {}, selector }: WorkloadSpec): FieldError[] {
  const labels = template.metadata?.labels;
  const fits = selector !== undefined && selector !== null && matches(selector, labels);
  return [
    ...(fits ? [] : [invalid(`${field}.metadata.labels`, labels ?? null, NO_MATCH)]),
    ...validatePodTemplate(field, template),
  ];
}

/** Pods that are replaced when they end run for ever. */
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

/** Whether a selector can be used to select pods at all. */
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

/** A number of pods, or a share of them. */
export function validateAmount(field: string, value: number | string | undefined): FieldError[] {
  if (typeof value === 'string') return /^[0-9]+%$/.test(value) ? [] : [invalid(field, value, BAD_PERCENT)];
  return (value ?? 0) < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
}

export function validateAtMostAll(field: string, value: number | string | undefined): FieldError[] {
  const percent = typeof value === 'string' ? /^([0-9]+)%$/.exec(value)?.[1] : undefined;
  return Number(percent ?? 0) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** The amount as a number, where a share counts by its percent. */
export function amountOf(value: number | string | undefined): number {
  return typeof value === 'string' ? Number(/^([0-9]+)%$/.exec(value)?.[1] ?? 0) : (value ?? 0);
}
