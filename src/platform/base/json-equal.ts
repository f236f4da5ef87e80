/**
 * Reports whether two values are the same JSON, regardless of the order of members. As in JSON text, undefined members
 * count as absent.
 */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && isSameList(a, b);
  let members = 0;
  for (const name of Object.keys(a)) {
    const member = (a as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    if (!Object.hasOwn(b, name) || !jsonEqual(member, (b as Readonly<Record<string, unknown>>)[name])) return false;
    members++;
  }
  for (const member of Object.values(b)) if (member !== undefined) members--;
  return members === 0;
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]));
}
