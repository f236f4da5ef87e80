import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ambiguousNames, oddLimits } from './exported-names.ts';

const read = (pattern: string | string[]) =>
  globSync(pattern).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

describe('names in this repository', () => {
  it('have one meaning in each area', () => {
    const files = read('src/**/*.ts');
    expect(files.length).toBeGreaterThan(1000);
    expect(ambiguousNames(files)).toEqual([]);
  });

  it('call limits MAX or MIN', () => {
    expect(oddLimits(read(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'tools/**/*.ts']))).toEqual([]);
  });
});

describe('an exported name', () => {
  const found = (...files: [path: string, text: string][]) =>
    ambiguousNames(files.map(([path, text]) => ({ path, text })));

  it('is reported if two files of an area declare it', () => {
    const problem = 'src/vm/a.ts:1, src/vm/engine/b.ts:2: phaseOf has several meanings in its area';
    const arrow = '// A phase.\nexport const phaseOf = () => 1;';
    expect(found(['src/vm/a.ts', 'export function phaseOf() {}'], ['src/vm/engine/b.ts', arrow])).toEqual([problem]);
  });

  it('may be declared in two areas, or only exported again', () => {
    expect(found(['src/vm/a.ts', 'export type A = 1;'], ['src/fleet/a.ts', 'export type A = 2;'])).toEqual([]);
    expect(found(['src/vm/a.ts', 'export type A = 1;'], ['src/vm/b.ts', "export { A } from './a.ts';"])).toEqual([]);
    expect(found(['src/vm/a.ts', 'export type A = 1;'], ['src/vm/b.ts', 'type A = 1;'])).toEqual([]);
  });

  it('may be a type and a value in one file', () => {
    expect(found(['src/vm/a.ts', 'export const A = 1;\nexport type A = 1;'])).toEqual([]);
  });

  it('may be the same part of several API groups', () => {
    const text = 'export const report = 1;';
    const [one, two] = ['src/vm/dialects/kubevirt/report.ts', 'src/vm/dialects/novacron/report.ts'];
    expect(found([one, text], [two, text])).toEqual([]);
    expect(found([one, text], [two, text], ['src/vm/dialects/report.ts', text])).toHaveLength(1);
    expect(found([one, text], ['src/vm/dialects/novacron/status.ts', text])).toHaveLength(1);
  });

  it('may repeat in test support', () => {
    expect(found(['src/vm/a.ts', 'export type A = 1;'], ['src/vm/a.fixture.ts', 'export type A = 2;'])).toEqual([]);
  });
});

it.each([
  ['const MOST_CAUSES = 500;', 1],
  ['const DEEPEST = 500;', 1],
  ['const MAX_CAUSES = 500;', 0],
  ['const LEAST_ALLOCATED = 1;', 0],
])('limits: %s', (text, count) => {
  expect(oddLimits([{ path: 'src/a.ts', text }])).toHaveLength(count);
});
