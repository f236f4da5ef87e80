/** Joins distinct reasons as Go joins errors, in brackets if there are more than one. */
export function joinReasons(reasons: readonly string[]): string {
  const once = [...new Set(reasons)];
  return once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`;
}
