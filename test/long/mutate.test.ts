import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { mutantsOf } from '../../tools/mutate/mutants.ts';
import { TestProcess } from '../../tools/mutate/test-process.ts';

const FILE = 'src/platform/base/cidr.ts';

it('npm run mutate kills mutants of a tested file, repeats a run by its seed, and does not change the tree', async () => {
  const before = readFileSync(FILE, 'utf8');
  const run = async () => {
    const args = ['tools/mutate/main.ts', FILE, '--seed', 'fixed', '--count', '4', '--tests', '1', '--threshold', '0'];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  const first = await run();
  expect(first).toMatch(/^4 of \d+ mutants; repeat with: npm run mutate -- src\/platform\/base\/cidr\.ts --seed fixed/);
  expect(first).toMatch(/^killed +src\/platform\/base\/cidr\.ts:\d+ {2}\S/m);
  expect(await run()).toBe(first);
  expect(readFileSync(FILE, 'utf8')).toBe(before);
});

it('a mutant is tested only by its own tests, and is gone when the next one runs', async () => {
  const mutated = (path: string, change: string) => {
    const all = mutantsOf(path, readFileSync(path, 'utf8'));
    const found = all.find(({ original, replacement }) => `${original} ${replacement}` === change);
    if (found === undefined) throw new Error(`${path} has no mutant ${change}`);
    return found;
  };
  const broken = mutated('src/platform/base/bytes.ts', '+= -=');
  const harmless = { ...mutated('src/platform/base/cidr.ts', '=== !=='), replacement: '===' };
  const [bytes, cidr] = ['src/platform/base/bytes.test.ts', 'src/platform/base/cidr.test.ts'];
  const tests = new TestProcess();
  try {
    expect(await tests.run({ edit: broken, tests: [cidr, bytes] })).toEqual({ kind: 'failed', test: bytes });
    expect(await tests.run({ edit: harmless, tests: [cidr] })).toEqual({ kind: 'passed' });
    expect(await tests.run({ edit: undefined, tests: [bytes] })).toEqual({ kind: 'passed' });
  } finally {
    tests.stop();
  }
});
