import type { JsonSchema } from '#platform/schema/json-schema';
import type { Check } from './check.ts';
import { compileCheck } from './checks.ts';
import type { Cursor } from './cursor.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * The check of an object that takes over whole members of an old one: those are the very same values, and nothing that
 * is wrong with them would be told. All is looked at where the schema says more of the object than of its members.
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
