/**
 * Compiles a pattern as the API server means it (Go's RE2: unanchored, by code point). What JavaScript cannot express
 * is refused when the schema is compiled, not when a value comes along.
 */
export function pattern(source: string): (text: string) => boolean {
  const expression = new RegExp(source.replaceAll('\\A', '^').replaceAll('\\z', '$').replaceAll('(?P<', '(?<'), 'u');
  return (text) => expression.test(text);
}
