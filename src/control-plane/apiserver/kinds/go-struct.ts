/**
 * Returns a value that is formatted with its fields in the given order, like a Go struct. Other values are sorted by
 * key.
 */
export function goStruct(fields: Readonly<Record<string, unknown>>): object {
  return { toJSON: () => fields };
}
