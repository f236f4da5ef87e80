import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXCEPTIONS } from './exceptions.ts';
import { type Finding, formatFinding, scan } from './scan.ts';
import { TERMS } from './terms.ts';

const FILES = ['{src,test,bench,tools}/**/*.ts', 'docs/**/*.md', '*.md', 'examples/**/*.yaml'];

const isCovered = ({ path, word }: Finding) =>
  EXCEPTIONS.some(
    (each) =>
      (path === each.path || path.startsWith(`${each.path}/`)) &&
      (each.words === undefined || each.words.includes(word)),
  );

describe('the language of the repository', () => {
  it('uses the standard terms of docs/language.md', () => {
    const files = globSync(FILES);
    expect(files.length).toBeGreaterThan(2000);
    const found = files.flatMap((path) => scan(path, readFileSync(path, 'utf8')));
    const left = found.filter((each) => !isCovered(each));
    expect(left.map(formatFinding)).toEqual([]);
  });

  it('has a replacement for every word', () => {
    for (const [word, use] of TERMS) {
      expect(word).toMatch(/^[a-z]+$/);
      expect(use).not.toBe('');
    }
  });
});

describe('the scan', () => {
  it.each([
    ['// It is started anew.', ['x.ts:1: "anew", use: again']],
    ['const text = `\n${name} heeds it`;', ['x.ts:2: "heeds", use: respects, considers']],
    ['const NO_DEEDS = [];', ['x.ts:1: "deeds" in the name NO_DEEDS, use: actions']],
    ['startAnew();', ['x.ts:1: "anew" in the name startAnew, use: again']],
    ['const insight = indeed + breathe;', []],
  ])('of %j finds %j', (source, found) => {
    expect(scan('x.ts', source).map(formatFinding)).toEqual(found);
  });

  it.each([
    ['/** What is kept. */', ['x.ts:1: "What", use: a comment that begins with a noun or a verb']],
    ['\n/**\n * In which it runs.\n */', ['x.ts:2: "In which", use: a comment that begins with a noun or a verb']],
    ['/** Whatever is kept. */ // What is kept.', []],
    ['function decided(a) {}', ['x.ts:1: "decided", use: a verb for a function that acts, a noun for a pure one']],
    [
      'function* numbered<T>(a) {}',
      ['x.ts:1: "numbered", use: a verb for a function that acts, a noun for a pure one'],
    ],
    ['function isDecided() {}\nfunction readStored() {}\nfunction seed() {}\nfunction required() {}', []],
  ])('finds the form of %j: %j', (source, found) => {
    expect(scan('x.ts', source).map(formatFinding)).toEqual(found);
  });

  it('finds words in paths', () => {
    expect(scan('src/x/no-deeds.ts', '').map(formatFinding)).toEqual(['src/x/no-deeds.ts: "deeds", use: actions']);
    expect(scan('test/x.test.ts', 'function decided() {}')).toEqual([]);
  });

  it('reads documents as text', () => {
    expect(scan('x.md', 'Lest you\nforget `deed`.').map(({ line, word }) => [line, word])).toEqual([
      [1, 'lest'],
      [2, 'deed'],
    ]);
  });
});
