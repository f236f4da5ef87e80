const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `\\s*;\\s*${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
const WHOLE = new RegExp(`^\\s*(${TOKEN}(?:/${TOKEN})?)((?:${PARAMETER})*)\\s*;?\\s*$`);

/** The type that a content type names, without its parameters; undefined where it cannot be read as one. */
export function mediaTypeOf(header: string): string | undefined {
  if (header === 'application/json') return header;
  return WHOLE.exec(header)?.[1]?.toLowerCase();
}
