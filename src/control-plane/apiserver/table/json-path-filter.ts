import { ParseError } from '#platform/base/errors';

/**
 * Steps from the values found so far to the next ones. Returns undefined if the path does not match the values at all.
 */
export type Step = (values: readonly unknown[]) => readonly unknown[] | undefined;

/** Runs steps one after the other. */
export function walk(steps: readonly Step[], values: readonly unknown[]): readonly unknown[] | undefined {
  let found: readonly unknown[] | undefined = values;
  for (const step of steps) {
    found = step(found);
    if (found === undefined) return undefined;
  }
  return found;
}

/** Parses a filter such as `[?(@.type=="Ready")]` at a position of a path, and returns where it ends. */
export function parseFilter(
  path: string,
  start: number,
  parseSteps: (path: string) => readonly Step[],
): { readonly step: Step; readonly end: number } {
  const open = start + '[?('.length;
  const close = closingParenthesis(path, open);
  if (path[close + 1] !== ']') throw new ParseError('unclosed array expect ]');
  const text = path.slice(open, close);
  const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(text) ?? [];
  const step =
    left === undefined || operator === undefined || right === undefined
      ? presenceFilter(parseSteps(text))
      : comparisonFilter(parseSteps(left), operator, parseSteps(right));
  return { step, end: close + 2 };
}

/** Finds the closing parenthesis, ignoring those inside quotes. */
function closingParenthesis(path: string, from: number): number {
  let quote = '';
  for (let i = from; i < path.length; i++) {
    const char = path[i] ?? '';
    if (quote === '' && char === ')') return i;
    if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote && path[i - 1] !== '\\') quote = '';
  }
  throw new ParseError('unterminated filter');
}

function presenceFilter(steps: readonly Step[]): Step {
  return filter((item) => (walk(steps, [item])?.length ?? 0) > 0);
}

function comparisonFilter(left: readonly Step[], operator: string, right: readonly Step[]): Step {
  return filter((item) => {
    const lefts = walk(left, [item]);
    if (lefts === undefined || lefts.length > 1) return undefined;
    if (lefts.length === 0) return false;
    const permissions = walk(right, [item]);
    if (permissions === undefined || permissions.length > 1) return undefined;
    return permissions.length === 0 ? false : compare(lefts[0], operator, permissions[0]);
  });
}

/** Selects the items of lists that pass. Undefined from the test means that the comparison is invalid. */
function filter(passes: (item: unknown) => boolean | undefined): Step {
  return (values) => {
    const found: unknown[] = [];
    for (const value of values) {
      if (!Array.isArray(value)) return undefined;
      for (const item of value) {
        const pass = passes(item);
        if (pass === undefined) return undefined;
        if (pass) found.push(item);
      }
    }
    return found;
  };
}

/** Compares values. Go compares only values of one type, and booleans have no order. */
function compare(a: unknown, operator: string, b: unknown): boolean | undefined {
  const type = kindOf(a);
  if (type === undefined || type !== kindOf(b)) return undefined;
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  if (type === 'boolean') return undefined;
  const [x, y] = [a as number, b as number];
  switch (operator) {
    case '<':
      return x < y;
    case '>':
      return x > y;
    case '<=':
      return x <= y;
    case '>=':
      return x >= y;
    default:
      return undefined;
  }
}

function kindOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}
