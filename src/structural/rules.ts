import type { CelRule, JsonSchema } from '../api/json-schema.ts';
import type { FieldError, FieldErrorType } from '../base/field-error.ts';
import type { Meter } from './cel/program.ts';
import { type Adapt, compileAdapter } from './cel/schema-value.ts';
import { CostExceeded, EvaluationError, Optional, type Value } from './cel/values.ts';
import type { Cursor } from './cursor.ts';
import { Change, identity } from './ratchet.ts';
import { type CompiledRule, compileRule, ruleScope } from './rule.ts';

/** Evaluates the x-kubernetes-validations of a schema; `old` is undefined on create. */
export type Rules = (value: unknown, old: unknown, at: Cursor) => void;

/** What all rules of one object may cost together. */
const BUDGET = 10_000_000;
const LONGEST_MESSAGE = 5 * 1024;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

const TYPES: Readonly<Record<NonNullable<CelRule['reason']>, FieldErrorType>> = {
  FieldValueInvalid: 'Invalid',
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required',
  FieldValueDuplicate: 'Duplicate',
};

/** One pass over an object. */
interface Pass {
  readonly at: Cursor;
  readonly meter: Meter;
  /** Set when money ran out: nothing more is evaluated. */
  ended: boolean;
}

/** The rules at and below one place; `change` is the nearest place around that the old object has too. */
type Walk = (value: unknown, old: unknown, change: Change | undefined, pass: Pass) => void;

/** Undefined where no rule stands at or below this schema. */
export function compileRules(schema: JsonSchema): Rules | undefined {
  const walk = compileWalk(schema, true);
  if (walk === undefined) return undefined;
  return (value, old, at) => {
    const change = old === undefined || old === null ? undefined : new Change(value, old, schema);
    walk(value, old, change, { at, meter: { cost: 0 }, ended: false });
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
    if (pass.meter.cost >= BUDGET)
      return end(pass, { type: 'Invalid', field: at.path(), value: type, detail: OUT_OF_BUDGET });
    const oldSelf = old === undefined ? undefined : adapted(adapt, old);
    const self = adapted(adapt, value);
    for (const rule of rules) {
      if (rule.usesOldSelf && old === undefined && rule.rule.optionalOldSelf !== true) continue;
      const verdict = evaluate(rule, self, oldSelf, pass);
      if (verdict === undefined) continue;
      const shown = verdict.broken ? { value: type } : isScalar ? { value } : {};
      const reason = verdict.broken ? 'Invalid' : TYPES[rule.rule.reason ?? 'FieldValueInvalid'];
      const field = verdict.broken ? at.path() : joined(at.path(), rule.fieldPath);
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

/** Data that does not fit its schema is an error of the rules that look at it, not of the server. */
function adapted(adapt: Adapt, json: unknown): Value | EvaluationError {
  try {
    return adapt(json);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}

function joined(path: string, fieldPath: string): string {
  return path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath}`;
}

interface Verdict {
  readonly detail: string;
  /** The rule came to no answer, rather than to the answer no. */
  readonly broken: boolean;
  /** No more rules are to be evaluated. */
  readonly last: boolean;
}

/** Why a rule does not hold; undefined where it does. */
function evaluate(
  compiled: CompiledRule,
  self: Value | EvaluationError,
  oldSelf: Value | EvaluationError | undefined,
  { meter }: Pass,
): Verdict | undefined {
  const { program } = compiled;
  if (program === undefined) return broken(`rule compile error: ${compiled.problem}`);
  let holds: Value;
  try {
    if (self instanceof EvaluationError) throw self;
    if (oldSelf instanceof EvaluationError) throw oldSelf;
    holds = program.evaluate([self, oldValue(compiled, oldSelf)], meter);
  } catch (error) {
    return brokenBy(error, compiled, meter);
  }
  if (meter.cost > BUDGET) return broken(OUT_OF_BUDGET, true);
  if (holds === true) return undefined;
  return refusal(compiled, self, oldSelf instanceof EvaluationError ? undefined : oldSelf, meter);
}

const broken = (detail: string, last = false): Verdict => ({ detail, broken: true, last });

/** What an error of an evaluation says of its rule; what is no such error is the server's own. */
function brokenBy(error: unknown, { rule }: CompiledRule, meter: Meter): Verdict {
  const name = (rule.message ?? '').trim() || rule.rule.trim();
  const { message } = error as Error;
  if (error instanceof CostExceeded) {
    if (meter.cost > BUDGET) return broken(OUT_OF_BUDGET, true);
    return broken(
      `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
      true,
    );
  }
  if (!(error instanceof EvaluationError)) throw error;
  if (meter.cost > BUDGET) return broken(OUT_OF_BUDGET, true);
  if (!message.startsWith('no such overload')) return broken(`${message} evaluating rule: ${name}`);
  return broken(
    `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`,
  );
}

function oldValue({ rule }: CompiledRule, oldSelf: Value | undefined): Value {
  if (rule.optionalOldSelf !== true) return oldSelf ?? null;
  return oldSelf === undefined ? Optional.none : new Optional(oldSelf);
}

/** The words for a rule that does not hold: its own expression's, or its message, or the rule itself. */
function refusal({ rule, message }: CompiledRule, self: Value, oldSelf: Value | undefined, meter: Meter): Verdict {
  const stated = (rule.message ?? '').trim();
  const detail = stated === '' ? `failed rule: ${rule.rule.trim()}` : stated;
  if (message === undefined) return { detail, broken: false, last: false };
  try {
    const text = message.evaluate([self, oldSelf ?? null], meter);
    const usable = typeof text === 'string' ? text.trim() : '';
    const fits = usable !== '' && !usable.includes('\n') && Buffer.byteLength(usable) <= LONGEST_MESSAGE;
    if (meter.cost <= BUDGET) return { detail: fits ? usable : detail, broken: false, last: false };
    return {
      detail:
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      broken: false,
      last: true,
    };
  } catch (error) {
    if (error instanceof CostExceeded) {
      const source = JSON.stringify(rule.messageExpression);
      return {
        detail: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
        broken: false,
        last: true,
      };
    }
    if (!(error instanceof EvaluationError)) throw error;
    return { detail, broken: false, last: false };
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function fieldRules(schema: JsonSchema): Walk | undefined {
  const fields = new Map<string, Walk>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const walk = compileWalk(field, isEmbedded(field));
    if (walk !== undefined) fields.set(name, walk);
  }
  if (fields.size === 0) return undefined;
  return (value, old, change, pass) => {
    if (typeof value !== 'object') return;
    for (const [name, walk] of fields) {
      const inner = fieldOf(value, name);
      if (inner === undefined) continue;
      pass.at.enter(name);
      walk(inner, fieldOf(old, name), change?.at(name) ?? change, pass);
      pass.at.leave();
    }
  };
}

/** Items of a list have an old self only where keys tell which is which. */
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
      walk(item, was, was === undefined ? change : new Change(item, was, items), pass);
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
