import { parseSync, Visitor } from 'oxc-parser';

/**
 * Only src/platform/base provides time and randomness, so that a test can control the clock and a seed repeats a run.
 */
const MEMBERS = new Set([
  'Date.now',
  'performance.now',
  'AbortSignal.timeout',
  'Math.random',
  'crypto.randomUUID',
  'process.hrtime',
  'Temporal.Now',
]);
const CALLS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'randomUUID', 'Date']);
/** Destructuring one of these would hide the names above. */
const SOURCES = new Set(['Math', 'performance']);
const MODULES = new Set([
  'timers/promises',
  'node:timers/promises',
  'timers',
  'node:timers',
  'perf_hooks',
  'node:perf_hooks',
]);

export interface AmbientUse {
  readonly what: string;
  readonly line: number;
}

export function ambientUses(path: string, source: string): AmbientUse[] {
  const { program } = parseSync(path, source);
  const found: AmbientUse[] = [];
  const add = (what: string, offset: number) => found.push({ what, line: source.slice(0, offset).split('\n').length });
  const nameOf = (node: { start: number; end: number }) =>
    source.slice(node.start, node.end).replace(/^globalThis\./, '');
  new Visitor({
    MemberExpression(node) {
      const name = nameOf(node);
      if (MEMBERS.has(name)) add(name, node.start);
      else if (source.startsWith('globalThis[', node.start)) add('globalThis[...]', node.start);
    },
    CallExpression({ callee, start }) {
      if (CALLS.has(nameOf(callee))) add(`${nameOf(callee)}()`, start);
    },
    NewExpression({ callee, arguments: given, start }) {
      if (nameOf(callee) === 'Date' && given.length === 0) add('new Date()', start);
    },
    VariableDeclarator({ init, start }) {
      if (init !== null && SOURCES.has(nameOf(init))) add(nameOf(init), start);
    },
    ImportDeclaration({ source: named, start }) {
      if (MODULES.has(named.value)) add(named.value, start);
    },
  }).visit(program);
  return found;
}
