import { parseSync, Visitor } from 'oxc-parser';

/** Time and chance come from src/base alone, so that a test can hold the clock and a seed repeats a run. */
const CALLS = new Set([
  'Date.now',
  'performance.now',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'AbortSignal.timeout',
  'Math.random',
  'crypto.randomUUID',
  'randomUUID',
  'Date',
]);
const MODULES = new Set(['timers/promises', 'node:timers/promises', 'timers', 'node:timers']);

export interface AmbientUse {
  readonly what: string;
  readonly line: number;
}

export function ambientUses(path: string, source: string): AmbientUse[] {
  const { program } = parseSync(path, source);
  const found: AmbientUse[] = [];
  const add = (what: string, offset: number) => found.push({ what, line: source.slice(0, offset).split('\n').length });
  new Visitor({
    CallExpression({ callee, start }) {
      const called = source.slice(callee.start, callee.end).replace(/^globalThis\./, '');
      if (CALLS.has(called)) add(`${called}()`, start);
    },
    NewExpression({ callee, arguments: given, start }) {
      if (source.slice(callee.start, callee.end) === 'Date' && given.length === 0) add('new Date()', start);
    },
    ImportDeclaration({ source: named, start }) {
      if (MODULES.has(named.value)) add(named.value, start);
    },
  }).visit(program);
  return found;
}
