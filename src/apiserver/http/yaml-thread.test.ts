import { afterAll, expect, it } from 'vitest';
import { ParseError } from '../../base/errors.ts';
import { YamlThread } from './yaml-thread.ts';

const thread = new YamlThread();
afterAll(() => thread.close());

it('reads YAML to JSON text, and tells keys that stand twice', async () => {
  const { json, duplicates } = await thread.read('a: 1\nb: [x, z]\na: 2\n');
  expect(JSON.parse(json)).toEqual({ a: 2, b: ['x', 'z'] });
  expect(duplicates).toEqual(['line 3: key "a" already set in map']);
});

it('answers each of many with its own', async () => {
  const read = await Promise.all([1, 2, 3].map((at) => thread.read(`at: ${at}`)));
  expect(read.map(({ json }) => JSON.parse(json) as unknown)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }]);
});

it('rejects what is no YAML', async () => {
  await expect(thread.read('a: [1')).rejects.toBeInstanceOf(ParseError);
});

it('reads on after its thread has ended', async () => {
  const lost = thread.read('a: 1');
  await thread.close();
  // It may have been read before the end.
  await Promise.allSettled([lost]);
  await expect(thread.read('b: 2')).resolves.toMatchObject({ json: '{"b":2}' });
});
