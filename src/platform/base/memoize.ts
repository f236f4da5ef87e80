/** Longer texts are not kept, unless somebody says so: they seldom come again. */
const MAX_LENGTH = 128;

/**
 * A pure function of short texts that keeps its latest answers, for texts that come again and again, such as times and
 * quantities. Bounded by `size` times two; what throws is not kept.
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
