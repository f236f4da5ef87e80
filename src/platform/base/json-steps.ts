/** Number of parts of a value that are formatted in one step, which takes a few milliseconds. */
const STEP = 24_000;
/** Number of parts that a member of a large object counts as, since it is formatted by a call of its own. */
const MEMBER = 3;
/** Number of characters of a text that count as one part. */
const PART_OF_TEXT = 64;
/** Number of members of an object whose names take long to list. */
const MANY_NAMES = 1_000;

/** Formats a large value as JSON.stringify does, in steps between which other work may run. */
export function* jsonInSteps(value: object, step = STEP): Generator<void, string, void> {
  const formatter = new JsonFormatter(step);
  return formatter.weigh(value) < step ? JSON.stringify(value) : yield* formatter.format(value);
}

class JsonFormatter {
  readonly #step: number;
  /** Names of the members of large objects. Listing them takes as long as formatting, so it is done once. */
  readonly #names = new Map<object, readonly string[]>();

  constructor(step: number) {
    this.#step = step;
  }

  /** Formats a heavy value. A long text weighs as much as a large object, but cannot be split. */
  *format(value: unknown): Generator<void, string, void> {
    yield;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return Array.isArray(value) ? yield* this.#list(value) : yield* this.#object(value);
  }

  *#list(list: readonly unknown[]): Generator<void, string, void> {
    const texts: string[] = [];
    let [light, weight]: [unknown[], number] = [[], 0];
    const flush = (): void => {
      if (light.length > 0) texts.push(JSON.stringify(light).slice(1, -1));
      [light, weight] = [[], 0];
    };
    for (const item of list) {
      const own = this.weigh(item);
      if (own < this.#step) light.push(item);
      if ((weight += own) < this.#step) continue;
      flush();
      if (own < this.#step) yield;
      else texts.push(yield* this.format(item));
    }
    flush();
    return `[${texts.join(',')}]`;
  }

  *#object(object: object): Generator<void, string, void> {
    const texts: string[] = [];
    let weight = 0;
    for (const name of this.#namesOf(object)) {
      const value = (object as Readonly<Record<string, unknown>>)[name];
      const own = this.weigh(value);
      if ((weight += MEMBER + own) >= this.#step) {
        weight = own;
        yield;
      }
      const text = own < this.#step ? JSON.stringify(value) : yield* this.format(value);
      // As in JSON.stringify, undefined members are left out.
      if (text !== undefined) texts.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${texts.join(',')}}`;
  }

  /** Counts the parts of a value, up to the limit. */
  weigh(value: unknown, limit = this.#step): number {
    if (typeof value === 'string') return 1 + Math.floor(value.length / PART_OF_TEXT);
    if (typeof value !== 'object' || value === null) return 1;
    let weight = 1;
    if (Array.isArray(value)) {
      for (const item of value) if ((weight += this.weigh(item, limit - weight)) >= limit) return weight;
      return weight;
    }
    const names = this.#namesOf(value);
    if (names.length >= limit) return names.length;
    for (const name of names) {
      if ((weight += this.weigh((value as Record<string, unknown>)[name], limit - weight)) >= limit) return weight;
    }
    return weight;
  }

  #namesOf(object: object): readonly string[] {
    const known = this.#names.size === 0 ? undefined : this.#names.get(object);
    if (known !== undefined) return known;
    const names = Object.keys(object);
    if (names.length >= MANY_NAMES) this.#names.set(object, names);
    return names;
  }
}
