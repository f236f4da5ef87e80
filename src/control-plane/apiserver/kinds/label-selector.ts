import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { labelValueProblems } from '#platform/base/names';
import { ownValue } from '#platform/base/own-value';
import { causesFor, validateLabelName, validateLabels } from './field-checks.ts';

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelExpression[];
}

interface LabelExpression {
  key?: string;
  operator?: string;
  values?: string[];
}

/** Validates a label selector. */
export function validateSelector(field: string, selector: LabelSelector | undefined): FieldError[] {
  if (selector === undefined) return [];
  return [
    ...validateLabels(`${field}.matchLabels`, selector.matchLabels),
    ...(selector.matchExpressions ?? []).flatMap((item, i) =>
      validateExpression(index(`${field}.matchExpressions`, i), item),
    ),
  ];
}

function validateExpression(field: string, { key = '', operator = '', values = [] }: LabelExpression): FieldError[] {
  const causes: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      causes.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      causes.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else causes.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  append(causes, validateLabelName(`${field}.key`, key));
  for (const [i, value] of values.entries()) {
    append(causes, causesFor(index(`${field}.values`, i), value, labelValueProblems(value)));
  }
  return causes;
}

/** Reports whether a selector is empty and so selects everything. */
export function selectsAll(selector: LabelSelector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
}

/** Reports whether labels match the selector, which must be valid. */
export function matches(selector: LabelSelector, found: Readonly<Record<string, string>> = {}): boolean {
  for (const [name, value] of Object.entries(selector.matchLabels ?? {})) if (found[name] !== value) return false;
  return (selector.matchExpressions ?? []).every(({ key = '', operator, values = [] }) => {
    const value = ownValue(found, key);
    if (operator === 'In') return value !== undefined && values.includes(value);
    if (operator === 'NotIn') return value === undefined || !values.includes(value);
    return operator === 'Exists' ? value !== undefined : value === undefined;
  });
}
