import { GenerationalCache } from './generational-cache.ts';

/** Default maximum length of a cached text. Longer texts seldom recur. */
const MAX_LENGTH = 128;

/**
 * Memoizes a pure function of short texts that recur, such as times and quantities. It stores at most `size` times two
 * results, and none for a call that throws.
 */
export function memoize<T>(size: number, response: (text: string) => T, maxLength = MAX_LENGTH): (text: string) => T {
  const cache = new GenerationalCache<string, T>({ maxEntries: size });
  return (text) => {
    const known = cache.get(text);
    if (known !== undefined) return known;
    const found = response(text);
    if (text.length <= maxLength) cache.set(text, found);
    return found;
  };
}
