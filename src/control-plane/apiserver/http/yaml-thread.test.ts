import { afterAll, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { ParseError } from '#platform/base/errors';
import { YamlThread } from './yaml-thread.ts';

const thread = new YamlThread(realClock);
afterAll(() => thread.close());

it('converts YAML to JSON, and reports duplicate keys', async () => {
  const { json, duplicates } = await thread.read('a: 1\nb: [x, z]\na: 2\n');
  expect(JSON.parse(json)).toEqual({ a: 2, b: ['x', 'z'] });
  expect(duplicates).toEqual(['line 3: key "a" already set in map']);
});

it('responds to each of many requests with its own result', async () => {
  const read = await Promise.all([1, 2, 3].map((at) => thread.read(`at: ${at}`)));
  expect(read.map(({ json }) => JSON.parse(json) as unknown)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }]);
});

it('rejects invalid YAML', async () => {
  await expect(thread.read('a: [1')).rejects.toBeInstanceOf(ParseError);
});

it('continues after its thread has ended', async () => {
  const lost = thread.read('a: 1');
  await thread.close();
  // It may have been read before the thread ended.
  await Promise.allSettled([lost]);
  await expect(thread.read('b: 2')).resolves.toMatchObject({ json: '{"b":2}' });
});

it('converts the texts of several users in turn, however many one of them has sent', async () => {
  const order: string[] = [];
  const read = (flow: string, name: string) => thread.read(`name: ${name}`, flow).then(() => order.push(name));
  const many = ['e1', 'e2', 'e3', 'e4'].map((name) => read('eve', name));
  await Promise.all([...many, read('bob', 'b1')]);
  expect(order.indexOf('b1')).toBeLessThanOrEqual(2);
});

it('rejects only a user who has too many texts waiting', async () => {
  const results = await Promise.allSettled([
    ...Array.from({ length: 150 }, () => thread.read('a: 1', 'eve')),
    thread.read('b: 2', 'bob'),
  ]);
  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  expect(results.at(-1)).toMatchObject({ status: 'fulfilled' });
});

it('parses an exponent without digits as a string, as Kubernetes does', async () => {
  const { json } = await thread.read('a: e1\nb: 1e1\nc: .5e1\nd: -E5\n');
  expect(JSON.parse(json)).toEqual({ a: 'e1', b: 10, c: 5, d: '-E5' });
});
