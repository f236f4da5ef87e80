import { GO_ESCAPES } from '#platform/base/go-value';

const ESCAPES: Readonly<Record<string, string>> = { ...GO_ESCAPES, '"': '\\"' };

/** Quotes a text, and escapes invisible characters and those that would end the quotes. */
export function quote(text: string): string {
  return `"${text.toWellFormed().replaceAll(/[\\"\p{Cc}]/gu, (char) => ESCAPES[char] ?? char)}"`;
}
