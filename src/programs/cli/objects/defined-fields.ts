/** An object of optional fields, of which those that are undefined are left out. */
type Given<T extends object> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Only the fields that have a value: what a user did not say is not written down. */
export function definedFields<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** The same, or undefined where none has a value. */
export function hasDefinedFields<T extends object>(fields: T): Given<T> | undefined {
  const found = definedFields(fields);
  return Object.keys(found).length === 0 ? undefined : found;
}
