import { RE2JS } from 're2js';
import { translatePattern } from './translated-pattern.ts';

/**
 * Compiles a pattern with the semantics of the API server (Go's RE2: unanchored, by code point). JavaScript's own
 * engine is many times faster on short texts but may never end, so it is used only where it provably ends quickly.
 */
export function pattern(source: string): (text: string) => boolean {
  const translated = translatePattern(source);
  if (translated === undefined) {
    const expression = RE2JS.compile(source);
    return (text) => expression.test(text);
  }
  const { expression, longest } = translated;
  let linear: RE2JS | undefined;
  return (text) => {
    if (text.length <= longest) return expression.test(text);
    linear ??= RE2JS.compile(source);
    return linear.test(text);
  };
}

/** Returns why a text is not a valid pattern, in the API server's words, or undefined if it is valid. */
export function patternProblem(source: string): string | undefined {
  try {
    RE2JS.compile(source);
    return undefined;
  } catch (error) {
    return `must be a valid regular expression, but isn't: ${(error as Error).message}`;
  }
}
