/** Counts characters as CEL does: by code points, of which JavaScript stores some as two units. */
export function runeCount(text: string): number {
  if (isPlain(text)) return text.length;
  let pairs = 0;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) pairs++;
  return text.length - pairs;
}

/**
 * Reports whether every character is one unit, so that indexes need no conversion. A search is faster here than a loop.
 */
export function isPlain(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}
