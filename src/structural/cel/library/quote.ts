const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** A text in quotes, with what could not be seen or would end the quotes escaped. */
export function quote(text: string): string {
  return `"${text.toWellFormed().replaceAll(/[\\"\p{Cc}]/gu, (char) => ESCAPES[char] ?? char)}"`;
}
