import { type FieldError, invalid } from '#platform/base/field-error';
import type { JsonSchema } from '#platform/schema/json-schema';
import type { Check } from './check.ts';
import { Cursor } from './cursor.ts';

/** Checks allOf, anyOf, oneOf and not with the API server's messages, which have no field path there. */
export function checkCombinators(schema: JsonSchema, compile: (part: JsonSchema) => Check): Check | undefined {
  const { allOf, anyOf, oneOf, not } = schema;
  if (allOf === undefined && anyOf === undefined && oneOf === undefined && not === undefined) return undefined;
  const all = allOf?.map((part) => compile(part));
  const any = anyOf?.map((part) => compile(part));
  const one = oneOf?.map((part) => compile(part));
  const none = not === undefined ? undefined : compile(not);
  // The common form of int-or-string repeats its type as anyOf, which a value of that type always satisfies.
  const known = schema['x-kubernetes-int-or-string'] === true && !all && !one && !none;
  return (value, at) => {
    if (known && (typeof value === 'string' || Number.isInteger(value))) return;
    const verdict = (text: string) => at.report(invalid('', '', `"${at.path()}" must ${text}`));
    const attempts = (checks: readonly Check[]) => checks.map((check) => attempt(check, value, at));
    if (any !== undefined) {
      const results = attempts(any);
      if (results.every((causes) => causes.length > 0)) {
        verdict('validate at least one schema (anyOf)');
        reportAll(results[0] ?? [], at);
      }
    }
    if (one !== undefined) {
      const results = attempts(one);
      const valid = results.filter((causes) => causes.length === 0).length;
      if (valid === 0) {
        verdict('validate one and only one schema (oneOf). Found none valid');
        reportAll(results[0] ?? [], at);
      } else if (valid > 1) {
        verdict(`validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
      }
    }
    if (all !== undefined) {
      const failed = attempts(all).filter((causes) => causes.length > 0);
      for (const causes of failed) reportAll(causes, at);
      if (failed.length > 0) {
        verdict(`validate all the schemas (allOf)${failed.length === all.length ? '. None validated' : ''}`);
      }
    }
    if (none !== undefined && attempt(none, value, at).length === 0) verdict('not validate the schema (not)');
  };
}

/** Runs a check at the same position without reporting yet. */
function attempt(check: Check, value: unknown, at: Cursor): readonly FieldError[] {
  const trial = Cursor.at(at);
  check(value, trial);
  return trial.causes;
}

function reportAll(causes: readonly FieldError[], at: Cursor): void {
  for (const cause of causes) at.report(cause);
}
