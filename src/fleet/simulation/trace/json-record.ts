import type { TracePlace, TraceProblems } from './problems.ts';

/** Line with a JSON object whose fields are read by path. BigQuery writes long integers as text. */
export class JsonRecord {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #text: string;
  readonly #place: Omit<TracePlace, 'column'>;
  readonly #problems: TraceProblems;

  private constructor(
    object: Readonly<Record<string, unknown>>,
    text: string,
    place: Omit<TracePlace, 'column'>,
    problems: TraceProblems,
  ) {
    this.#object = object;
    this.#text = text;
    this.#place = place;
    this.#problems = problems;
  }

  /** Parses a line. Returns undefined for an empty one, and for one that is no object, which is a problem. */
  static parse(text: string, place: Omit<TracePlace, 'column'>, problems: TraceProblems): JsonRecord | undefined {
    if (text.trim() === '') return undefined;
    try {
      const object: unknown = JSON.parse(text);
      if (typeof object === 'object' && object !== null && !Array.isArray(object)) {
        return new JsonRecord(object as Readonly<Record<string, unknown>>, text, place, problems);
      }
      problems.add({ ...place, column: 1 }, 'the line is not a JSON object');
    } catch (error) {
      const { message } = error as Error;
      const [, position = '0'] = /position (\d+)/.exec(message) ?? [];
      problems.add({ ...place, column: Number(position) + 1 }, `the line is not JSON: ${message}`);
    }
    return undefined;
  }

  /** Returns a number from 0, or undefined with a problem. */
  number(path: string, isValid: (value: number) => boolean = (value) => value >= 0): number | undefined {
    const found = this.#at(path);
    const value = typeof found === 'string' && found !== '' ? Number(found) : found;
    if (typeof value !== 'number' || !Number.isFinite(value)) return this.#reject(path, found, 'not a number');
    return isValid(value) ? value : this.#reject(path, found, 'out of range');
  }

  /** Returns a name or number as text, or undefined with a problem. */
  word(path: string): string | undefined {
    return this.optionalWord(path) ?? this.#reject(path, this.#at(path), 'neither a name nor a number');
  }

  optionalWord(path: string): string | undefined {
    const found = this.#at(path);
    return (typeof found === 'string' && found !== '') || typeof found === 'number' ? `${found}` : undefined;
  }

  #at(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>(
        (found, key) => (found as Readonly<Record<string, unknown>> | null | undefined)?.[key],
        this.#object,
      );
  }

  #reject(path: string, found: unknown, why: string): undefined {
    const key = path.split('.').at(-1) ?? path;
    const column = Math.max(0, this.#text.indexOf(`"${key}"`)) + 1;
    const what = found === undefined ? 'it is missing' : `${JSON.stringify(found)} is ${why}`;
    this.#problems.add({ ...this.#place, column }, `${path}: ${what}`);
    return undefined;
  }
}
