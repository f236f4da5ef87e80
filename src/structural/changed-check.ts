import type { JsonSchema } from '../api/json-schema.ts';
import { compileCheck } from './checks.ts';
import type { Cursor } from './cursor.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * The check of an object that takes over whole members of an old one: those are the very same values, and nothing that
 * is wrong with them would be told. Undefined where the schema says more of the object than of its members.
 */
export function compileChangedCheck(
  schema: JsonSchema,
): ((object: Members, old: Members, at: Cursor) => void) | undefined {
  const { properties = {}, additionalProperties, anyOf, allOf, oneOf, not, ...rest } = schema;
  if ((additionalProperties ?? anyOf ?? allOf ?? oneOf ?? not) !== undefined) return undefined;
  const shell = compileCheck(rest, true);
  const members = new Map(Object.entries(properties).map(([name, member]) => [name, compileCheck(member)]));
  return (object, old, at) => {
    shell(object, at);
    for (const name in object) {
      const value = object[name];
      const check = members.get(name);
      if (check === undefined || value === undefined || at.full) continue;
      if (typeof value === 'object' && value === old[name]) continue;
      at.enter(name);
      check(value, at);
      at.leave();
    }
  };
}
