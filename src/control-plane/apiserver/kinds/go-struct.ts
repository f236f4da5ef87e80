/** A value that prints its fields in the order they are given, as Go prints a struct; other values are sorted by key. */
export function goStruct(fields: Readonly<Record<string, unknown>>): object {
  return { toJSON: () => fields };
}
