import { expect, it } from 'vitest';
import type { Part, Run } from './part.ts';
import { runParts } from './run-parts.ts';

const MINUTE = 60;

/** Runs parts with a clock that advances by what each run takes. Runs end as listed, in order. */
async function play(parts: readonly Part[], minutes: number, ends: readonly (Run & { readonly minutes: number })[]) {
  let time = 0;
  const calls: string[] = [];
  const said: string[] = [];
  const outcomes = await runParts(parts, {
    deadline: minutes * MINUTE,
    now: () => time,
    say: (text) => said.push(text),
    run: async (part, files, limit) => {
      const end = ends[calls.length];
      calls.push(`${part.name}: ${files.join(' ')} within ${limit / MINUTE} minutes`);
      time += (end?.minutes ?? 0) * MINUTE;
      return end ?? { status: 1, files: [] };
    },
  });
  return { calls, said: said.join(''), states: outcomes.map(({ part, state }) => `${part} ${state}`) };
}

const ended = (file: string, state: 'passed' | 'failed') => ({
  file,
  state,
  passed: 1,
  failed: state === 'failed' ? ['it'] : [],
  skipped: {},
});
const part = (name: string, minutes: number, more: Partial<Part> = {}): Part => ({
  name,
  command: [name],
  minutes,
  tests: true,
  files: [`${name}.test.ts`],
  ...more,
});

it('a part that does not fit into the remaining time is skipped, and smaller ones after it still run', async () => {
  const { calls, said, states } = await play([part('a', 10), part('b', 30), part('c', 5)], 40, [
    { minutes: 20, status: 0, files: [ended('a.test.ts', 'passed')] },
    { minutes: 5, status: 0, files: [ended('c.test.ts', 'passed')] },
  ]);
  expect(states).toEqual(['a passed', 'b skipped', 'c passed']);
  expect(calls).toEqual(['a: a.test.ts within 40 minutes', 'c: c.test.ts within 20 minutes']);
  expect(said).toContain('!! SKIPPED: b (it takes 30 minutes, and 20 are left)');
});

it('failed files run a second time, which is reported', async () => {
  const { calls, said, states } = await play([part('a', 1, { retries: true, files: ['x', 'y'] })], 40, [
    { minutes: 2, status: 1, files: [ended('x', 'passed'), ended('y', 'failed')] },
    { minutes: 1, status: 0, files: [ended('y', 'passed')] },
  ]);
  expect(states).toEqual(['a passed']);
  expect(calls).toEqual(['a: x y within 40 minutes', 'a: y within 38 minutes']);
  expect(said).toContain('!! FAILED, AND RUN A SECOND TIME:\n!!   y\n');
});

it('a second failure fails the part, and the other parts run', async () => {
  const { states } = await play([part('a', 1, { retries: true }), part('b', 1)], 40, [
    { minutes: 1, status: 1, files: [ended('a.test.ts', 'failed')] },
    { minutes: 1, status: 1, files: [ended('a.test.ts', 'failed')] },
    { minutes: 1, status: 0, files: [ended('b.test.ts', 'passed')] },
  ]);
  expect(states).toEqual(['a failed', 'b passed']);
});

it('the seed of a part is printed', async () => {
  const { said } = await play([part('a', 1, { env: { VIMANA_PROPERTY_SEED: '7' } })], 40, []);
  expect(said).toContain('VIMANA_PROPERTY_SEED=7\n');
});
