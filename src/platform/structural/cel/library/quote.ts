import { GO_ESCAPES } from '#platform/base/go-value';

const ESCAPES: Readonly<Record<string, string>> = { ...GO_ESCAPES, '"': '\\"' };

/** A text in quotes, with what could not be seen or would end the quotes escaped. */
export function quote(text: string): string {
  return `"${text.toWellFormed().replaceAll(/[\\"\p{Cc}]/gu, (char) => ESCAPES[char] ?? char)}"`;
}
