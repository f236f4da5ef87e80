import { parseSync, Visitor } from 'oxc-parser';
import { PATTERNS } from './patterns.ts';
import { TERMS } from './terms.ts';

/**
 * A word of the table in a file: in a text (comment, string, document), as a part of a name, or in the path of the
 * file. Or a form that the table of patterns rules out.
 */
export interface Finding {
  readonly path: string;
  /** Absent if the word is in the path. */
  readonly line?: number;
  readonly word: string;
  readonly use: string;
  /** The whole name, if the word is a part of one. */
  readonly name?: string;
}

/** Parts of names and words of prose: `deedsFor` has deeds and For, `NO_DEEDS` has NO and DEEDS. */
const WORDS = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;

export function scan(path: string, source: string): Finding[] {
  return [...scanPath(path), ...scanWords(path, source), ...scanPatterns(path, source)];
}

function scanPath(path: string): Finding[] {
  const words = [...path.matchAll(WORDS)].map(([word]) => word.toLowerCase());
  return words.flatMap((word) => {
    const use = TERMS.get(word);
    return use === undefined ? [] : [{ path, word, use }];
  });
}

function scanPatterns(path: string, source: string): Finding[] {
  return PATTERNS.filter(({ covers }) => covers(path)).flatMap(({ form, use, except }) =>
    [...source.matchAll(form)]
      .filter(([, word = '']) => except?.has(word) !== true)
      .map(({ 1: word = '', index }) => ({ path, line: lineAt(source, index), word, use })),
  );
}

function scanWords(path: string, source: string): Finding[] {
  const found = [...source.matchAll(WORDS)].filter(([word]) => TERMS.has(word.toLowerCase()));
  if (found.length === 0) return [];
  const isText = path.endsWith('.ts') ? textRanges(path, source) : () => true;
  return found.map(({ 0: match, index }) => {
    const word = match.toLowerCase();
    return {
      path,
      line: lineAt(source, index),
      word,
      use: TERMS.get(word) ?? '',
      ...(isText(index) ? {} : { name: nameAt(source, index) }),
    };
  });
}

export function formatFinding({ path, line, word, use, name }: Finding): string {
  const where = line === undefined ? path : `${path}:${line}`;
  return `${where}: ${name === undefined ? `"${word}"` : `"${word}" in the name ${name}`}, use: ${use}`;
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

/** Returns a function that reports whether an offset is in a comment or a string. */
function textRanges(path: string, source: string): (offset: number) => boolean {
  const { program, comments } = parseSync(path, source);
  const ranges: { readonly start: number; readonly end: number }[] = [...comments];
  new Visitor({
    Literal(node) {
      if (typeof node.value === 'string' || 'regex' in node) ranges.push(node);
    },
    TemplateElement(node) {
      ranges.push(node);
    },
  }).visit(program);
  return (offset) => ranges.some(({ start, end }) => start <= offset && offset < end);
}

function nameAt(source: string, offset: number): string {
  const before = /[\w$]*$/.exec(source.slice(Math.max(0, offset - 100), offset))?.[0] ?? '';
  const after = /^[\w$]*/.exec(source.slice(offset, offset + 100))?.[0] ?? '';
  return `${before}${after}`;
}
