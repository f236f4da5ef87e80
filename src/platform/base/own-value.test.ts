import { expect, test } from 'vitest';
import { ownValue, setOwn } from './own-value.ts';

const INHERITED = ['constructor', 'toString', 'hasOwnProperty', '__proto__', '__defineGetter__'];

test.each(INHERITED)('%s is in a record only if it was set', (key) => {
  const record: Record<string, string> = {};
  expect(ownValue(record, key)).toBeUndefined();
  setOwn(record, key, 'value');
  expect(ownValue(record, key)).toBe('value');
  expect(JSON.stringify(record)).toBe(`{"${key}":"value"}`);
  expect(ownValue({}, key)).toBeUndefined();
});
