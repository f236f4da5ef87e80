import { append } from '#platform/base/append';
import {
  child,
  type FieldError,
  forbidden,
  index,
  internalError,
  invalid,
  key,
  notSupported,
  required,
} from '#platform/base/field-error';
import { ownValue } from '#platform/base/own-value';
import type { CelRule, JsonSchema } from '#platform/schema/json-schema';
import { MAX_COST } from './cel/estimate.ts';
import { readFieldPath } from './field-path.ts';
import { type CompiledRule, compileRule, type RuleScope, ruleScope } from './rule.ts';

/** Estimated cost limits of one expression, and of all in a schema together. */
const EXPRESSION_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;
const MAX_NAMED = 4;
/** Minimum cost of an expression that is listed among those that cost too much together. */
const MIN_NAMED = SCHEMA_LIMIT / 100;
const MAX_BYTES = 3 * 1024 * 1024;
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Position of rules in the surrounding schema. */
interface Context {
  readonly path: string;
  readonly root: boolean;
  /** Maximum number of runs of a rule here for one object. Undefined if only the size of a request bounds it. */
  readonly times: number | undefined;
  /** Surrounding list in which an item cannot be matched with its old item. */
  readonly uncorrelatable: string | undefined;
  readonly costs: Cost[];
}

interface Cost {
  readonly path: string;
  readonly cost: number;
}

/**
 * Validates the x-kubernetes-validations of a schema, as the API server does when a CRD is written. Error paths are
 * below `path`, the position of the schema.
 */
export function validateRules(schema: JsonSchema, path: string): FieldError[] {
  const costs: Cost[] = [];
  const causes = validateBelow(schema, { path, root: true, times: 1, uncorrelatable: undefined, costs });
  const total = costs.reduce((sum, { cost }) => Math.min(MAX_COST, sum + cost), 0);
  if (total <= SCHEMA_LIMIT) return causes;
  const largest = costs
    .filter(({ cost }) => cost >= MIN_NAMED)
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, MAX_NAMED);
  return [
    ...causes,
    ...largest.map((each) =>
      forbidden(each.path, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
    ),
    forbidden(
      path,
      tooCostly('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total, SCHEMA_LIMIT),
    ),
  ];
}

function validateBelow(schema: JsonSchema, context: Context): FieldError[] {
  const causes: FieldError[] = [];
  const { path, uncorrelatable } = context;
  const below = (part: JsonSchema, partPath: string, changes: Partial<Context> = {}): void => {
    const root = part['x-kubernetes-embedded-resource'] === true;
    append(causes, validateBelow(part, { ...context, root, ...changes, path: partPath }));
  };
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    below(field, key(child(path, 'properties'), name));
  }
  if (typeof schema.additionalProperties === 'object') {
    below(schema.additionalProperties, child(path, 'additionalProperties'), {
      times: times(context.times, schema.maxProperties),
    });
  }
  if (schema.items !== undefined) {
    const keyed = schema['x-kubernetes-list-type'] === 'map';
    below(schema.items, child(path, 'items'), {
      times: times(context.times, schema.maxItems),
      uncorrelatable: uncorrelatable ?? (keyed ? undefined : path),
    });
  }
  append(causes, validateOwn(schema, context));
  return causes;
}

function times(around: number | undefined, max: number | undefined): number | undefined {
  return around === undefined || max === undefined ? undefined : Math.min(MAX_COST, around * max);
}

/** Returns the minimum number of JSON bytes of a value. Optional parts need none. */
function minSize(schema: JsonSchema): number {
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  switch (schema.type) {
    case 'object': {
      let size = 2;
      for (const name of schema.required ?? []) {
        const field = ownValue(schema.properties ?? {}, name);
        if (field !== undefined && field.default === undefined) size += name.length + minSize(field) + 4;
      }
      return size;
    }
    case 'boolean':
      return 4;
    case 'integer':
    case 'number':
      return 1;
    case 'string':
      return { duration: 3, date: 12, 'date-time': 21 }[schema.format ?? ''] ?? 2;
    default:
      return 2;
  }
}

function validateOwn(schema: JsonSchema, context: Context): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const at = (i: number): string => index(child(context.path, 'x-kubernetes-validations'), i);
  const causes = rules.flatMap((rule, i) => validateForm(rule, schema, at(i)));
  if (causes.length > 0) return causes;
  const scope = ruleScope(schema, context.root);
  if (scope === undefined) {
    const detail =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    return [internalError(child(context.path, 'x-kubernetes-validations'), detail)];
  }
  return rules.flatMap((rule, i) => validateRule(compileRule(rule, scope), scope, context, at(i)));
}

/** Validates a rule without its expressions. */
function validateForm(rule: CelRule, schema: JsonSchema, path: string): FieldError[] {
  const causes: FieldError[] = [];
  const { message = '', messageExpression = '', fieldPath = '' } = rule;
  if (rule.rule.trim() === '') causes.push(required(child(path, 'rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    causes.push(invalid(child(path, 'message'), message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    causes.push(invalid(child(path, 'message'), message, 'must not contain line breaks'));
  } else if (/[\n\r]/.test(rule.rule.trim()) && message.trim() === '') {
    causes.push(required(child(path, 'message'), 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    causes.push(required(child(path, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    causes.push(notSupported(child(path, 'reason'), rule.reason, REASONS));
  }
  const wrongPath = (detail: string): number => causes.push(invalid(child(path, 'fieldPath'), fieldPath, detail));
  if (fieldPath !== '' && fieldPath.trim() === '') wrongPath('must be non-empty if specified');
  if (/[\n\r]/.test(fieldPath)) wrongPath('must not contain line breaks');
  if (fieldPath !== '' && readFieldPath(fieldPath, schema) === undefined) wrongPath('must be a valid path');
  return causes;
}

function validateRule(compiled: CompiledRule, scope: RuleScope, context: Context, path: string): FieldError[] {
  const { rule, program, message } = compiled;
  const causes: FieldError[] = [];
  const expensive = (what: string, field: string, cost: number): void => {
    context.costs.push({ path: field, cost });
    if (cost > EXPRESSION_LIMIT)
      causes.push(forbidden(field, tooCostly(`estimated ${what} cost`, cost, EXPRESSION_LIMIT)));
  };
  const [rulePath, messagePath] = [child(path, 'rule'), child(path, 'messageExpression')];
  if (program !== undefined) {
    const often = context.times ?? Math.floor(MAX_BYTES / (minSize(scope.schema) + 1));
    expensive('rule', rulePath, Math.min(MAX_COST, program.estimate(scope.shapes).max * often));
  }
  if (compiled.problem !== undefined) causes.push(invalid(rulePath, goRule(rule), compiled.problem));
  if (compiled.messageProblem !== undefined) causes.push(invalid(messagePath, goRule(rule), compiled.messageProblem));
  if (message !== undefined) expensive('messageExpression', messagePath, message.estimate(scope.shapes).max);
  if (compiled.usesOldSelf && context.uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${context.uncorrelatable}`;
    causes.push(invalid(rulePath, rule.rule, detail));
  } else if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule';
    causes.push(invalid(child(path, 'optionalOldSelf'), rule.optionalOldSelf, detail));
  }
  return causes;
}

/** Formats the rule as the API server prints it: its own type, with fields in the order of their declaration there. */
function goRule(rule: CelRule): { toJSON(): unknown } {
  return {
    toJSON: () => ({
      Rule: rule.rule,
      Message: rule.message ?? '',
      MessageExpression: rule.messageExpression ?? '',
      Reason: rule.reason ?? null,
      FieldPath: rule.fieldPath ?? '',
      OptionalOldSelf: rule.optionalOldSelf ?? null,
    }),
  };
}

function tooCostly(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
