import { RE2JS } from 're2js';
import { pattern } from '../../pattern.ts';
import { fn, type Library, method } from '../library.ts';
import { ArrayList, EvaluationError, type StepCounter } from '../values.ts';

/** Limit of cached patterns. Patterns from data would otherwise be compiled repeatedly, or fill the memory. */
const MAX_CACHED = 500;

interface Pattern {
  readonly expression: RE2JS;
  /** Reports whether the pattern is found anywhere in a text. */
  readonly test: (text: string) => boolean;
  /** Maximum number of states that a character is tried against. */
  readonly states: number;
}

/** LRU cache of compiled patterns by their text. */
class PatternCache {
  readonly #kept = new Map<string, Pattern>();

  get(source: string): Pattern {
    const known = this.#kept.get(source);
    // While there is room nothing is evicted, so the order does not matter.
    if (known !== undefined && this.#kept.size < MAX_CACHED) return known;
    const pattern = known ?? compilePattern(source);
    this.#kept.delete(source);
    this.#kept.set(source, pattern);
    if (this.#kept.size > MAX_CACHED) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return pattern;
  }
}

const cache = new PatternCache();

function compilePattern(source: string): Pattern {
  try {
    const expression = RE2JS.compile(source);
    return { expression, test: pattern(source), states: expression.programSize() };
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

function patternFor(text: string, source: string, counter: StepCounter): Pattern {
  const found = cache.get(source);
  counter.counter((text.length * Math.min(found.states, 1000)) / 50);
  return found;
}

/** Reports whether the pattern is found anywhere in the text. */
function matches(text: string, source: string, counter: StepCounter): boolean {
  return patternFor(text, source, counter).test(text);
}

function find(text: string, source: string, counter: StepCounter): string {
  const matcher = patternFor(text, source, counter).expression.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: string, source: string, limit: bigint, counter: StepCounter): ArrayList {
  const matcher = patternFor(text, source, counter).expression.matcher(text);
  const found: string[] = [];
  const max = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  while (found.length < max && matcher.find()) found.push(matcher.group() ?? '');
  return new ArrayList(found);
}

/** Reports whether a text is a valid pattern. */
export function isPattern(source: string): boolean {
  try {
    RE2JS.compile(source);
    return true;
  } catch {
    return false;
  }
}

/** Functions on patterns, which always run in time linear in the text. */
export const REGEX: Library = {
  overloads: [
    fn('matches', 'string, string -> bool', matches),
    method('matches', 'string, string -> bool', matches),
    method('find', 'string, string -> string', find),
    method('findAll', 'string, string -> list(string)', (a: string, b: string, counter: StepCounter) =>
      findAll(a, b, -1n, counter),
    ),
    method('findAll', 'string, string, int -> list(string)', findAll),
  ],
};
