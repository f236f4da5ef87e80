/**
 * Copies plain objects, arrays and scalars deeply, several times as fast as structuredClone. As in JSON text, undefined
 * members are left out.
 */
export function copyJson<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let at = 0; at < value.length; at++) items.push(copy(value[at]));
    return items;
  }
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    if (name === '__proto__') define(members, name, copy(member));
    else members[name] = typeof member === 'object' ? copy(member) : member;
  }
  return members;
}

/** Defines a member whose assignment by name would change the prototype of the object. */
function define(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}
