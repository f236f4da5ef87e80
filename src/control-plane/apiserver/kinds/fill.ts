/** Sets the fields that an object does not have yet. Null counts as absent, as in Go. */
export function fill<T extends object>(target: T, fields: Partial<T>): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = name as keyof T;
    if ((target[field] ?? undefined) === undefined) target[field] = value as T[keyof T];
  }
}
