import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';

/** A host that stalls for seconds must not fail a test. */
const MIN_MS = 15_000;

/** Returns the waits of a test with a short timeout. Without an explicit one, the timeout is a second. */
function hastyWaits(path: string, source: string): string[] {
  const found: string[] = [];
  const textOf = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  new Visitor({
    CallExpression({ callee, arguments: given, start }) {
      const called = textOf(callee).replaceAll(/\s/g, '');
      const isWait = /^vi\.wait(For|Until)$/.test(called);
      if (!isWait && called !== 'expect.poll') return;
      const limit = given[1];
      const [, ms] = limit === undefined ? [] : (/(?:timeout: |^)([\d_]+)\b/.exec(textOf(limit)) ?? []);
      const isShort = ms !== undefined && Number(ms.replaceAll('_', '')) < MIN_MS;
      if (isShort || (isWait && limit === undefined))
        found.push(`${path}:${source.slice(0, start).split('\n').length}`);
    },
  }).visit(parseSync(path, source).program);
  return found;
}

test('no test has a short timeout', () => {
  const files = globSync(['src/**/*.ts', 'test/**/*.ts', 'tools/**/*.ts']);
  expect(files.length).toBeGreaterThan(1000);
  const waiting = files.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const relevant = waiting.filter(({ text }) => /vi\.wait|expect\s*\.poll/.test(text));
  expect(relevant.flatMap(({ path, text }) => hastyWaits(path, text))).toEqual([]);
});

test.each([
  ['vi.waitFor(() => f())', 1],
  ['vi.waitFor(() => f(), 5000)', 1],
  ['await vi.waitUntil(f, { timeout: 10_000, interval: 20 })', 1],
  ['expect\n  .poll(f, { timeout: 1_000 }).toBe(1)', 1],
  ['expect.poll(f).toBe(1)', 0],
  ['vi.waitFor(() => f(), PATIENCE)', 0],
  ['vi.waitFor(() => f(), { timeout: 60_000 })', 0],
])('%s has %d short timeouts', (source, count) => {
  expect(hastyWaits('x.ts', source)).toHaveLength(count);
});
