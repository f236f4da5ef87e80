/** Appends lists to a list. `push(...items)` would pass each item as an argument, and the stack limits their number. */
export function append<T>(list: T[], ...more: readonly Iterable<T>[]): void {
  for (const items of more) for (const item of items) list.push(item);
}
