import { type FieldError, type FieldErrorType, invalid } from '#platform/base/field-error';
import { runSteps, type Steps } from '#platform/base/steps';
import type { JsonSchema } from '#platform/schema/json-schema';
import { compileChangedCheck } from './changed-check.ts';
import { compileCheck } from './checks.ts';
import { Cursor } from './cursor.ts';
import { compileDefaults } from './defaults.ts';
import { metaValidation, pruneMeta } from './object-meta.ts';
import { compilePrune } from './prune.ts';
import { CorrelatedObject, forgiveUnchanged } from './ratchet.ts';
import { compileRules } from './rules.ts';

/**
 * Compiled schema of a whole resource. The API server's order is prune, default, validate; prune and default change the
 * object in place, so the caller passes its own copy.
 */
export interface StructuralSchema {
  /** Drops unknown fields and returns their paths. */
  prune(object: unknown): string[];
  /** Applies defaults. Nulls that the schema does not allow are dropped first. */
  applyDefaults(object: unknown): void;
  /**
   * Returns all errors of the object: those of the schema, then `others` from the caller, then those of rules. `old` is
   * the stored object on update.
   */
  validate(object: unknown, old?: unknown, others?: readonly FieldError[]): readonly FieldError[];
  /** Validates in steps. */
  validateInSteps(object: unknown, old?: unknown, others?: readonly FieldError[]): Steps<readonly FieldError[]>;
}

/** Error types after which the structure of the object is not what rules expect. */
const BLOCKS_RULES: ReadonlySet<FieldErrorType> = new Set([
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
  'NotSupported',
]);
const RULES_NOT_CHECKED = invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

export function compileSchema(schema: JsonSchema): StructuralSchema {
  const prune = compilePrune(schema, true);
  const defaults = compileDefaults(schema);
  const check = compileCheck(schema, true);
  const checkChanged = compileChangedCheck(schema, check);
  const rules = compileRules(schema);
  const forgive = (at: Cursor, object: unknown, old: unknown): void => {
    const before = new Cursor();
    check(old, before);
    forgiveUnchanged(at, new CorrelatedObject(object, old, schema), before);
  };
  function* validateInSteps(
    object: unknown,
    old?: unknown,
    others: readonly FieldError[] = [],
  ): Steps<readonly FieldError[]> {
    const at = new Cursor();
    if (isObject(object) && isObject(old)) checkChanged(object, old, at);
    else check(object, at);
    if (old !== undefined && at.causes.length > 0) forgive(at, object, old);
    yield;
    if (isObject(object)) {
      const before = isObject(old) ? old['metadata'] : undefined;
      for (const cause of yield* metaValidation(object['metadata'], { before })) at.report(cause);
    }
    for (const cause of others) at.report(cause);
    if (rules === undefined) return at.causes;
    if (at.causes.some((cause) => BLOCKS_RULES.has(cause.type))) return [...at.causes, RULES_NOT_CHECKED];
    yield;
    rules(object, old, at);
    return at.causes;
  }
  return {
    prune(object) {
      const dropped: string[] = [];
      prune?.(object, '', dropped);
      if (isObject(object)) pruneMeta?.(object['metadata'], 'metadata', dropped);
      return dropped;
    },
    applyDefaults(object) {
      defaults?.(object);
    },
    validate: (object, old, others) => runSteps(validateInSteps(object, old, others)),
    validateInSteps,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
