/** Object whose undefined fields are left out. */
type Given<T extends object> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/**
 * Returns only the fields that have a value, so that what is unset is not stored. It builds two arrays, so code that runs
 * for every request or object spreads `x === undefined ? {} : { x }` instead.
 */
export function definedFields<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Returns the defined fields, or undefined if there are none. */
export function hasDefinedFields<T extends object>(fields: T): Given<T> | undefined {
  const found = definedFields(fields);
  return Object.keys(found).length === 0 ? undefined : found;
}
