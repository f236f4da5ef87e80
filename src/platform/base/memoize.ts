/** Default maximum length of a cached text. Longer texts seldom recur. */
const MAX_LENGTH = 128;

/**
 * Memoizes a pure function of short texts that recur, such as times and quantities. It stores at most `size` times two
 * results, and none for a call that throws.
 */
export function memoize<T>(size: number, answer: (text: string) => T, maxLength = MAX_LENGTH): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return (text) => {
    const known = young.get(text);
    if (known !== undefined) return known;
    const found = old.get(text) ?? answer(text);
    if (text.length > maxLength) return found;
    if (young.size >= size) {
      old = young;
      young = new Map();
    }
    young.set(text, found);
    return found;
  };
}
