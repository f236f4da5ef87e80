import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const linesOf = (file: string): string[] =>
  readFileSync(resolve(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n');
const passing = linesOf('passing.txt');
const passingOnUp = linesOf('passing-on-up.txt');
const outOfScope = linesOf('out-of-scope.txt');

test('every conformance test is in exactly one of the lists', () => {
  const names = [
    ...passing,
    ...passingOnUp,
    ...outOfScope.map((line) => line.replace(/\[Conformance\]: .*$/, '[Conformance]')),
  ];
  expect(new Set(names).size).toBe(names.length);
  // Number of conformance tests of Kubernetes 1.36.
  expect(names).toHaveLength(446);
});

test('every test that is out of scope has a reason', () => {
  for (const line of outOfScope) expect(line).toMatch(/^\[sig-[a-z-]+\] .+\[Conformance\]: \S.+$/);
  for (const line of [...passing, ...passingOnUp]) expect(line).toMatch(/^\[sig-[a-z-]+\] .+\[Conformance\]$/);
});
