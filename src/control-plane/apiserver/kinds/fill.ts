/** Gives an object the values of those fields that it does not have yet; null is as good as nothing, as it is to Go. */
export function fill<T extends object>(target: T, fields: Partial<T>): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = name as keyof T;
    if ((target[field] ?? undefined) === undefined) target[field] = value as T[keyof T];
  }
}
