import { Environment } from '@marcbachmann/cel-js';
import type { CelRule, JsonSchema } from '../api/json-schema.ts';
import type { FieldError, FieldErrorType } from '../base/field-error.ts';
import { compileToCel } from './cel-value.ts';
import type { Cursor } from './cursor.ts';

/** Evaluates the x-kubernetes-validations of a schema; `old` is undefined on create. */
export type Rules = (value: unknown, old: unknown, at: Cursor) => void;

const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');

const TYPES: Readonly<Record<NonNullable<CelRule['reason']>, FieldErrorType>> = {
  FieldValueInvalid: 'Invalid',
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required',
  FieldValueDuplicate: 'Duplicate',
};

/** Undefined where no rule stands at or below this schema. */
export function compileRules(schema: JsonSchema): Rules | undefined {
  const parts = [ownRules(schema), fieldRules(schema), itemRules(schema), valueRules(schema)].filter(
    (part) => part !== undefined,
  );
  if (parts.length === 0) return undefined;
  return (value, old, at) => {
    if (value === null || value === undefined) return;
    for (const part of parts) part(value, old, at);
  };
}

function ownRules(schema: JsonSchema): Rules | undefined {
  const rules = schema['x-kubernetes-validations']?.map(compileRule);
  if (rules === undefined || rules.length === 0) return undefined;
  const convert = compileToCel(schema);
  const scalar = schema.type !== 'object' && schema.type !== 'array';
  return (value, old, at) => {
    const self = convert(value);
    const oldSelf = old === undefined || old === null ? undefined : convert(old);
    for (const rule of rules) {
      const failed = rule(self, oldSelf);
      if (failed !== undefined) at.report(cause(failed, scalar ? value : undefined, at.path()));
    }
  };
}

interface Failure {
  readonly rule: CelRule;
  readonly message: string;
}

function cause({ rule, message }: Failure, value: unknown, path: string): FieldError {
  const type = TYPES[rule.reason ?? 'FieldValueInvalid'];
  const field = rule.fieldPath === undefined ? path : joined(path, rule.fieldPath);
  const shown = rule.fieldPath === undefined && value !== undefined ? { value } : {};
  return { type, field, ...shown, detail: message };
}

function joined(path: string, fieldPath: string): string {
  return path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath.startsWith('.') ? '' : '.'}${fieldPath}`;
}

/** A rule that speaks of oldSelf is a transition rule: it holds between two states and is silent on create. */
function compileRule(rule: CelRule): (self: unknown, oldSelf: unknown) => Failure | undefined {
  const evaluate = environment.parse(rule.rule);
  const message = rule.messageExpression === undefined ? undefined : environment.parse(rule.messageExpression);
  const transition = /\boldSelf\b/.test(rule.rule) && rule.optionalOldSelf !== true;
  return (self, oldSelf) => {
    if (transition && oldSelf === undefined) return undefined;
    const context = { self, ...(oldSelf === undefined ? {} : { oldSelf }) };
    try {
      if (evaluate(context) === true) return undefined;
    } catch (error) {
      return {
        rule,
        message: `${(error as Error).message.split('\n')[0]} evaluating rule: ${rule.message ?? rule.rule}`,
      };
    }
    const text = message === undefined ? undefined : message(context);
    return { rule, message: typeof text === 'string' ? text : (rule.message ?? `failed rule: ${rule.rule}`) };
  };
}

function fieldRules(schema: JsonSchema): Rules | undefined {
  const fields = new Map<string, Rules>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const rules = compileRules(field);
    if (rules !== undefined) fields.set(name, rules);
  }
  if (fields.size === 0) return undefined;
  return (value, old, at) => {
    for (const [name, rules] of fields) {
      const inner = (value as Record<string, unknown>)[name];
      if (inner === undefined) continue;
      at.enter(name);
      rules(inner, (old as Record<string, unknown> | undefined)?.[name], at);
      at.leave();
    }
  };
}

/** Items of a list have an old self only where keys tell which is which. */
function itemRules(schema: JsonSchema): Rules | undefined {
  const rules = schema.items === undefined ? undefined : compileRules(schema.items);
  if (rules === undefined) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'];
  const identity = (item: unknown) => JSON.stringify(keys?.map((key) => (item as Record<string, unknown>)[key]));
  return (value, old, at) => {
    const before = new Map<string, unknown>();
    if (keys !== undefined && Array.isArray(old)) for (const item of old) before.set(identity(item), item);
    const items = value as readonly unknown[];
    for (let i = 0; i < items.length && !at.full; i++) {
      at.enter(i);
      rules(items[i], before.get(keys === undefined ? '' : identity(items[i])), at);
      at.leave();
    }
  };
}

function valueRules(schema: JsonSchema): Rules | undefined {
  const extra = schema.additionalProperties;
  const rules = typeof extra === 'object' ? compileRules(extra) : undefined;
  if (rules === undefined) return undefined;
  return (value, old, at) => {
    for (const [name, inner] of Object.entries(value as Record<string, unknown>)) {
      at.enter(name);
      rules(inner, (old as Record<string, unknown> | undefined)?.[name], at);
      at.leave();
    }
  };
}
