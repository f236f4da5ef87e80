import { append } from '#platform/base/append';
import { ParseError } from '#platform/base/errors';
import { parseFilter, type Step, walk } from './json-path-filter.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Compiles the JSONPath of a printer column: fields, quoted keys, indexes (also from the end), slices, wildcards,
 * unions, filters and `..`. The result lists all values that the path leads to.
 */
export function compileJsonPath(path: string): (root: unknown) => readonly unknown[] | undefined {
  const steps = parseSteps(path);
  return (root) => walk(steps, [root]);
}

const FIELD = /\.((?:\\.|[^\\\s.,[\]$@{}])*)/y;
const BRACKET = /\[([^\]\n]*)\]/y;
const QUOTED = /"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'/y;
const NUMBER = /[+-]?[0-9.]+/y;
const WORD = /[\p{L}\p{N}_][^\s.,[\]$@{}]*/uy;
const NAME = /[\p{L}\p{N}_](?:\\.|[^\\\s.,[\]$@{}])*/uy;

function parseSteps(path: string): Step[] {
  const steps: Step[] = [];
  let at = 0;
  let deep = false;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(path);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < path.length) {
    const wasDeep = deep;
    deep = false;
    let match: RegExpExecArray | null;
    if (path.startsWith('[?(', at)) {
      const filter = parseFilter(path, at, parseSteps);
      at = filter.end;
      steps.push(filter.step);
    } else if (path.startsWith('..', at)) {
      if (wasDeep) throw new ParseError('invalid multiple recursive descent');
      at += 2;
      steps.push(descend);
      const name = take(NAME);
      if (name !== null) steps.push(field(name[0]));
      else deep = true;
    } else if (/[ @$]/.test(path[at] ?? '')) at++;
    else if ((match = take(FIELD)) !== null) steps.push(match[1] === '*' ? wildcard : field(match[1] ?? ''));
    else if ((match = take(BRACKET)) !== null) append(steps, bracket(match[1] ?? ''));
    else if ((match = take(QUOTED)) !== null) steps.push(literal(unescape(match[1] ?? match[2] ?? '')));
    else if ((match = take(NUMBER)) !== null) steps.push(literal(numberOf(match[0])));
    else if ((match = take(WORD)) !== null) steps.push(word(match[0]));
    else throw new ParseError(`unrecognized character in action: ${path[at]}`);
  }
  return steps;
}

const unescape = (text: string) => text.replaceAll(/\\(.)/g, '$1');

function numberOf(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw new ParseError(`cannot parse number ${text}`);
  return value;
}

/** Yields a constant, once for each value it is compared with. */
function literal(value: unknown): Step {
  return (values) => values.map(() => value);
}

function word(text: string): Step {
  return text === 'true' || text === 'false' ? literal(text === 'true') : () => undefined;
}

function field(escaped: string): Step {
  const name = escaped.replaceAll('\\', '');
  return (values) => {
    const found: unknown[] = [];
    for (const value of values) if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name]);
    return found;
  };
}

const childrenOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
};

const wildcard: Step = (values) => values.flatMap(childrenOf);

/** Selects every value that contains others, itself first. */
const descend: Step = (values) => {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    const children = childrenOf(value);
    if (children.length === 0) return;
    found.push(value);
    for (const child of children) visit(child);
  };
  for (const value of values) visit(value);
  return found;
};

function bracket(text: string): Step[] {
  const parts = text.split(',');
  if (parts.length > 1) {
    const branches = parts.map((part) => parseSteps(`[${part.trim()}]`));
    return [(values) => unionOf(branches.map((steps) => walk(steps, values)))];
  }
  const key = /^'([^']*)'$/.exec(text)?.[1];
  if (key !== undefined) return parseSteps(`.${key}`);
  const range = /^(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?$/.exec(text === '*' ? ':' : text);
  if (range === null) throw new ParseError(`invalid array index ${text}`);
  const [, from = '', to, by = ''] = range;
  return [
    to === undefined && by === '' ? item(indexOf(from) ?? 0) : slice(indexOf(from), indexOf(to ?? ''), indexOf(by)),
  ];
}

const indexOf = (text: string) => (text === '' ? undefined : numberOf(text));

function unionOf(branches: readonly (readonly unknown[] | undefined)[]): readonly unknown[] | undefined {
  const found: unknown[] = [];
  for (const branch of branches) {
    if (branch === undefined) return undefined;
    append(found, branch);
  }
  return found;
}

function item(index: number): Step {
  return eachList((list) => {
    const at = index < 0 ? index + list.length : index;
    return at >= 0 && at < list.length ? [list[at]] : undefined;
  });
}

function slice(from: number | undefined, to: number | undefined, by = 1): Step {
  return eachList((list) => {
    const start = from === undefined ? 0 : from < 0 ? from + list.length : from;
    const end = to === undefined ? list.length : to < 0 ? to + list.length : to;
    if (start === end) return [];
    if (start < 0 || start >= list.length || end < start || end > list.length || by <= 0) return undefined;
    return list.slice(start, end).filter((_, i) => i % by === 0);
  });
}

/** Applies to each list, skips null, and matches nothing else. */
function eachList(choose: (list: readonly unknown[]) => readonly unknown[] | undefined): Step {
  return (values) => {
    const found: unknown[] = [];
    for (const value of values) {
      if (value === null || value === undefined) continue;
      const chosen = Array.isArray(value) ? choose(value) : undefined;
      if (chosen === undefined) return undefined;
      append(found, chosen);
    }
    return found;
  };
}
