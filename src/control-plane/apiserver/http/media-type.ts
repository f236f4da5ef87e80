const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `\\s*;\\s*${TOKEN}=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
const WHOLE = new RegExp(`^\\s*(${TOKEN}(?:/${TOKEN})?)((?:${PARAMETER})*)\\s*;?\\s*$`);

/** Returns the media type of a content type, without its parameters; undefined if it is invalid. */
export function mediaTypeOf(header: string): string | undefined {
  if (header === 'application/json') return header;
  return WHOLE.exec(header)?.[1]?.toLowerCase();
}
