/**
 * Returns the value under an untrusted key, but not inherited ones such as `constructor` and `__proto__`. Decoded JSON
 * holds no functions, so most reads need one check only.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  const value = record[key];
  if (typeof value !== 'function' && key !== '__proto__') return value;
  return Object.hasOwn(record, key) ? value : undefined;
}

/** Sets a value in a record as JSON.parse would: `__proto__` is a key like any other. */
export function setOwn<T>(record: Record<string, T>, key: string, value: NoInfer<T>): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  else record[key] = value;
}
