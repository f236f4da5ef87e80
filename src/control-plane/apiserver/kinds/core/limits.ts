import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, key, required } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import { compare, parseQuantity, type Quantity, ratio, tryParseQuantity } from '#platform/base/quantity';
import { validateLabelName } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { validateContainerResourceName, validateResourceName } from '../pod/validate-resources.ts';

type Amounts = Record<string, string>;

interface Limit {
  type?: string;
  max?: Amounts;
  min?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
  maxLimitRequestRatio?: Amounts;
}

interface LimitRange {
  spec?: { limits?: Limit[] | null };
}

const OF_CONTAINERS = 'Container';
const TYPES = new Set(['Pod', OF_CONTAINERS, 'PersistentVolumeClaim']);

export const limitRanges: KindStrategy<LimitRange> = {
  defaults(object) {
    for (const limit of object.spec?.limits ?? []) if (limit.type === OF_CONTAINERS) defaultLimit(limit);
  },
  validate(object) {
    const limits = object.spec?.limits ?? [];
    const types = new Set<string>();
    return limits.flatMap((limit, i) => {
      const field = index('spec.limits', i);
      const { type = '' } = limit;
      const causes = validateType(`${field}.type`, type);
      if (types.has(type)) causes.push(duplicate(`${field}.type`, type));
      types.add(type);
      return [...causes, ...validateLimit(field, limit)];
    });
  },
};

/** Sets missing defaults to the maximum, and missing default requests to the default or else the minimum. */
function defaultLimit(limit: Limit): void {
  const { max, min } = limit;
  if (max !== undefined) limit.default = { ...max, ...limit.default };
  if (min !== undefined || limit.default !== undefined) {
    limit.defaultRequest = { ...min, ...limit.default, ...limit.defaultRequest };
  }
}

function validateType(field: string, type: string): FieldError[] {
  const causes = validateLabelName(field, type);
  if (causes.length > 0 || type.includes('/') || TYPES.has(type)) return causes;
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function validateLimit(field: string, limit: Limit): FieldError[] {
  const { type = '', max = {}, min = {}, maxLimitRequestRatio = {} } = limit;
  const causes: FieldError[] = [];
  const names = (list: keyof Limit, amounts: Amounts) => {
    for (const name of Object.keys(amounts)) {
      const at = key(`${field}.${list}`, name);
      const ofPods = type === OF_CONTAINERS || type === 'Pod';
      append(causes, (ofPods ? validateContainerResourceName : validateResourceName)(at, name));
    }
  };
  names('max', max);
  names('min', min);
  if (type === 'Pod') {
    for (const list of ['default', 'defaultRequest'] as const) {
      if (Object.keys(limit[list] ?? {}).length > 0) {
        causes.push(forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'"));
      }
    }
  } else {
    names('default', limit.default ?? {});
    names('defaultRequest', limit.defaultRequest ?? {});
  }
  if (type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    causes.push(required(`${field}.limits`, detail));
  }
  const all = [max, min, limit.default, limit.defaultRequest, maxLimitRequestRatio];
  for (const name of new Set(all.flatMap((amounts) => Object.keys(amounts ?? {})))) {
    append(causes, validateOrder(field, name, limit));
  }
  return causes;
}

const amount = (amounts: Amounts | undefined, name: string): Quantity | undefined =>
  tryParseQuantity(ownValue(amounts ?? {}, name) ?? '');

/** Validates that minimum, default request, default and maximum of a resource are in this order. */
function validateOrder(field: string, name: string, limit: Limit): FieldError[] {
  const causes: FieldError[] = [];
  const text = (list: 'max' | 'min' | 'default' | 'defaultRequest') => ownValue(limit[list] ?? {}, name) ?? '';
  const [max, min] = [amount(limit.max, name), amount(limit.min, name)];
  const [most, requested] = [amount(limit.default, name), amount(limit.defaultRequest, name)];
  const over = (a: Quantity | undefined, b: Quantity | undefined) =>
    a !== undefined && b !== undefined && compare(a, b) > 0;
  const say = (list: string, value: string, detail: string) =>
    causes.push(invalid(key(`${field}.${list}`, name), value, detail));
  if (over(min, max)) say('min', text('min'), `min value ${text('min')} is greater than max value ${text('max')}`);
  const request = `default request value ${text('defaultRequest')}`;
  if (over(min, requested))
    say('defaultRequest', text('defaultRequest'), `min value ${text('min')} is greater than ${request}`);
  if (over(requested, max))
    say('defaultRequest', text('defaultRequest'), `${request} is greater than max value ${text('max')}`);
  if (over(requested, most)) {
    say('defaultRequest', text('defaultRequest'), `${request} is greater than default limit value ${text('default')}`);
  }
  if (over(min, most))
    say('default', text('min'), `min value ${text('min')} is greater than default value ${text('default')}`);
  if (over(most, max))
    say('default', text('max'), `default value ${text('default')} is greater than max value ${text('max')}`);
  const given = ownValue(limit.maxLimitRequestRatio ?? {}, name);
  const bound = amount(limit.maxLimitRequestRatio, name);
  if (given === undefined || bound === undefined) return causes;
  const at = 'maxLimitRequestRatio';
  if (compare(bound, parseQuantity('1')) < 0) say(at, given, `ratio ${given} is less than 1`);
  else if (
    max !== undefined &&
    min !== undefined &&
    min.nano > 0n &&
    ratio(max, min) < ratio(bound, parseQuantity('1'))
  ) {
    say(at, given, `ratio ${given} is greater than max/min = ${ratio(max, min).toFixed(6)}`);
  }
  return causes;
}
