import type { JsonSchema } from '#platform/schema/json-schema';
import type { Check } from './check.ts';
import { compileCheck } from './checks.ts';
import type { Cursor } from './cursor.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Compiles the check of an object that skips members shared with an old one, because their errors would not be
 * reported. Everything is checked if the schema constrains the object beyond its members.
 */
export function compileChangedCheck(
  schema: JsonSchema,
  check: Check,
): (object: Members, old: Members, at: Cursor) => void {
  const { properties = {}, additionalProperties, anyOf, allOf, oneOf, not, ...rest } = schema;
  if ((additionalProperties ?? anyOf ?? allOf ?? oneOf ?? not) !== undefined) {
    return (object, _old, at) => check(object, at);
  }
  const shell = compileCheck(rest, true);
  const members = new Map(Object.entries(properties).map(([name, member]) => [name, compileCheck(member)]));
  return (object, old, at) => {
    shell(object, at);
    for (const name in object) {
      const value = object[name];
      const checkMember = members.get(name);
      if (checkMember === undefined || value === undefined || at.full) continue;
      if (typeof value === 'object' && value === old[name]) continue;
      at.enter(name);
      checkMember(value, at);
      at.leave();
    }
  };
}
