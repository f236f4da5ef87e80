import { dirname, isAbsolute, join } from 'node:path';

/**
 * Reads the fields of one kubeconfig entry by their expected types. A problem is recorded with its position but never
 * the value, and the field reads as absent, so that all problems are reported together.
 */
export class Fields {
  readonly file: string;
  readonly #place: string;
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #problems: string[];

  constructor(file: string, place: string, object: unknown, problems: string[]) {
    this.file = file;
    this.#place = place;
    this.#problems = problems;
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object);
    if (object !== undefined && object !== null && !isObject)
      this.problem('', `must be an object, not ${nameOf(object)}`);
    this.#object = isObject ? (object as Record<string, unknown>) : {};
  }

  /** Records a problem with a field ('' for the entry itself). */
  problem(field: string, problem: string): void {
    const where = [this.file, this.#place, field].filter((part) => part !== '').join(': ');
    this.#problems.push(`${where}: ${problem}`);
  }

  has(field: string): boolean {
    const value = this.#object[field];
    return value !== undefined && value !== null && value !== '';
  }

  /** Returns text, or undefined if it is absent or empty. */
  string(field: string): string | undefined {
    const value = this.#object[field];
    if (!this.has(field)) return undefined;
    if (typeof value === 'string') return value;
    this.problem(field, `must be a string, not ${nameOf(value)}`);
    return undefined;
  }

  boolean(field: string): boolean {
    const value = this.#object[field];
    if (this.has(field) && typeof value !== 'boolean')
      this.problem(field, `must be true or false, not ${nameOf(value)}`);
    return value === true;
  }

  strings(field: string): string[] {
    return this.list(field).flatMap((value, index) => {
      if (typeof value === 'string') return [value];
      this.problem(`${field}[${index}]`, `must be a string, not ${nameOf(value)}`);
      return [];
    });
  }

  list(field: string): unknown[] {
    const value = this.#object[field];
    if (Array.isArray(value)) return value as unknown[];
    if (this.has(field)) this.problem(field, `must be a list, not ${nameOf(value)}`);
    return [];
  }

  /** Returns the fields of a nested object, or undefined if it is absent. */
  fields(field: string): Fields | undefined {
    if (!this.has(field)) return undefined;
    const place = this.#place === '' ? field : `${this.#place}: ${field}`;
    return new Fields(this.file, place, this.#object[field], this.#problems);
  }

  /** Returns the names of all fields. */
  keys(): string[] {
    return Object.keys(this.#object);
  }

  /** Returns the raw value of a field. */
  raw(field: string): unknown {
    return this.#object[field];
  }

  /** Returns text that is encoded in base64. */
  decoded(field: string): string | undefined {
    const text = this.string(field)?.replaceAll(/\s/g, '');
    if (text === undefined) return undefined;
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0)
      return Buffer.from(text, 'base64').toString('utf8');
    this.problem(field, 'is not base64');
    return undefined;
  }

  /** Returns a path. A relative one is resolved from the directory of the kubeconfig. */
  path(field: string): string | undefined {
    const path = this.string(field);
    return path === undefined || isAbsolute(path) ? path : join(dirname(this.file), path);
  }
}

function nameOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return value === true || value === false ? 'true or false' : `a ${typeof value}`;
}
