import type { FieldError, FieldErrorType } from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import type { CelRule, JsonSchema } from '#platform/schema/json-schema';
import type { CostTracker } from './cel/program.ts';
import { type Adapt, compileAdapter } from './cel/schema-value.ts';
import { EvaluationError, type Value } from './cel/values.ts';
import type { Cursor } from './cursor.ts';
import { CorrelatedObject, identity } from './ratchet.ts';
import { compileRule, ruleScope } from './rule.ts';
import { BUDGET, evaluate, OUT_OF_BUDGET } from './rule-result.ts';

/** Evaluates the x-kubernetes-validations of a schema; `old` is undefined on create. */
export type Rules = (value: unknown, old: unknown, at: Cursor) => void;

const TYPES: Readonly<Record<NonNullable<CelRule['reason']>, FieldErrorType>> = {
  FieldValueInvalid: 'Invalid',
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required',
  FieldValueDuplicate: 'Duplicate',
};

/** State of one pass over an object. */
interface Pass {
  readonly at: Cursor;
  readonly tracker: CostTracker;
  /** Set when the cost budget is exhausted. Nothing more is evaluated then. */
  ended: boolean;
}

/**
 * Evaluates the rules at and below one position. `change` is the nearest surrounding position that the old object has
 * too.
 */
type Walk = (value: unknown, old: unknown, change: CorrelatedObject | undefined, pass: Pass) => void;

/** Compiles the rules. Returns undefined if there is no rule at or below this schema. */
export function compileRules(schema: JsonSchema): Rules | undefined {
  const walk = compileWalk(schema, true);
  if (walk === undefined) return undefined;
  return (value, old, at) => {
    const change = old === undefined || old === null ? undefined : new CorrelatedObject(value, old, schema);
    walk(value, old, change, { at, tracker: { cost: 0 }, ended: false });
  };
}

function compileWalk(schema: JsonSchema, root: boolean): Walk | undefined {
  const parts = [ownRules(schema, root), fieldRules(schema), itemRules(schema), valueRules(schema)].filter(
    (part) => part !== undefined,
  );
  const [only, more] = parts;
  if (only === undefined) return undefined;
  if (more === undefined) {
    return (value, old, change, pass) => {
      if (value !== null && value !== undefined && !pass.ended) only(value, old ?? undefined, change, pass);
    };
  }
  return (value, old, change, pass) => {
    if (value === null || value === undefined) return;
    for (const part of parts) {
      if (pass.ended) return;
      part(value, old ?? undefined, change, pass);
    }
  };
}

const isEmbedded = (schema: JsonSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

function ownRules(schema: JsonSchema, root: boolean): Walk | undefined {
  const given = schema['x-kubernetes-validations'] ?? [];
  const scope = given.length === 0 ? undefined : ruleScope(schema, root);
  if (scope === undefined) return undefined;
  const rules = given.filter(({ rule }) => rule.trim() !== '').map((rule) => compileRule(rule, scope));
  const adapt = compileAdapter(schema, root);
  const type = schema.type ?? '';
  const isScalar = type !== 'object' && type !== 'array';
  return (value, old, change, pass) => {
    const { at } = pass;
    if (pass.tracker.cost >= BUDGET)
      return end(pass, { type: 'Invalid', field: at.path(), value: type, detail: OUT_OF_BUDGET });
    const oldSelf = old === undefined ? undefined : adaptValue(adapt, old);
    const self = adaptValue(adapt, value);
    for (const rule of rules) {
      if (rule.usesOldSelf && old === undefined && rule.rule.optionalOldSelf !== true) continue;
      const verdict = evaluate(rule, self, oldSelf, pass.tracker);
      if (verdict === undefined) continue;
      const shown = verdict.broken ? { value: type } : isScalar ? { value } : {};
      const reason = verdict.broken ? 'Invalid' : TYPES[rule.rule.reason ?? 'FieldValueInvalid'];
      const field = verdict.broken ? at.path() : joinPath(at.path(), rule.fieldPath);
      const cause: FieldError = { type: reason, field, ...shown, detail: reason === 'Duplicate' ? '' : verdict.detail };
      if (verdict.last) return end(pass, cause);
      if (verdict.broken || rule.usesOldSelf || change?.unchanged !== true) at.report(cause);
    }
  };
}

function end(pass: Pass, cause: FieldError): void {
  pass.ended = true;
  pass.at.report(cause);
}

/** Converts a value. Data that does not match its schema is an error of the rules that read it, not of the server. */
function adaptValue(adapt: Adapt, json: unknown): Value | EvaluationError {
  try {
    return adapt(json);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function joinPath(path: string, fieldPath: string): string {
  return path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath}`;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? ownValue(value as Record<string, unknown>, name) : undefined;

function fieldRules(schema: JsonSchema): Walk | undefined {
  const fields: { readonly name: string; readonly walk: Walk }[] = [];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const walk = compileWalk(field, isEmbedded(field));
    if (walk !== undefined) fields.push({ name, walk });
  }
  if (fields.length === 0) return undefined;
  return (value, old, change, pass) => {
    if (typeof value !== 'object') return;
    for (const { name, walk } of fields) {
      const inner = fieldOf(value, name);
      if (inner === undefined) continue;
      pass.at.enter(name);
      walk(inner, fieldOf(old, name), change?.at(name) ?? change, pass);
      pass.at.leave();
    }
  };
}

/** Compiles the rules of list items. Items have an old self only if keys identify them. */
function itemRules(schema: JsonSchema): Walk | undefined {
  const { items } = schema;
  const walk = items === undefined ? undefined : compileWalk(items, isEmbedded(items));
  if (walk === undefined) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'];
  return (value, old, change, pass) => {
    if (!Array.isArray(value)) return;
    const before = keys !== undefined && Array.isArray(old) ? itemsByKey(old, keys) : undefined;
    for (let i = 0; i < value.length && !pass.at.full && !pass.ended; i++) {
      const item: unknown = value[i];
      const was = before?.get(identity(item, keys ?? []));
      pass.at.enter(i);
      walk(item, was, was === undefined ? change : new CorrelatedObject(item, was, items), pass);
      pass.at.leave();
    }
  };
}

function itemsByKey(items: readonly unknown[], keys: readonly string[]): Map<string | undefined, unknown> {
  return new Map(items.map((item) => [identity(item, keys), item]));
}

function valueRules({ additionalProperties: schema }: JsonSchema): Walk | undefined {
  const walk = typeof schema === 'object' ? compileWalk(schema, isEmbedded(schema)) : undefined;
  if (walk === undefined) return undefined;
  return (value, old, change, pass) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (pass.ended || pass.at.full) return;
      pass.at.enter({ key });
      walk(inner, fieldOf(old, key), change?.at({ key }) ?? change, pass);
      pass.at.leave();
    }
  };
}
