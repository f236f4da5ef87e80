import { expect, it } from 'vitest';
import { lockChanges } from './lock-file.ts';

const lock = (packages: Record<string, object>) => ({ packages });
const kept = { version: '1.0.0', integrity: 'sha512-a' };

it.each<[string, object, object, string[]]>([
  ['nothing', { a: kept }, { a: kept }, []],
  ['an optional package of another platform', { a: kept }, { a: kept, b: { ...kept, optional: true } }, []],
  ['an additional package', { a: kept }, { a: kept, b: kept }, ['b 1.0.0 is new']],
  ['a missing package', { a: kept }, {}, ['a is gone']],
  ['another version', { a: kept }, { a: { ...kept, version: '1.0.1' } }, ['a changed from 1.0.0 to 1.0.1']],
  ['other content', { a: kept }, { a: { ...kept, integrity: 'sha512-b' } }, ['a changed from 1.0.0 to 1.0.0']],
])('notices %s', (_, before, after, changes) => {
  expect(lockChanges(lock(before as never), lock(after as never))).toEqual(changes);
});
