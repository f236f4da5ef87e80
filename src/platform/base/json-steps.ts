/** Number of parts of a value that are formatted in one step, which takes a few milliseconds. */
const STEP = 24_000;
/** Number of parts that a member of a large object counts as, since it is formatted by a call of its own. */
const MEMBER = 3;
/** Number of characters of a text that count as one part. */
const PART_OF_TEXT = 64;

/** Formats a large value as JSON.stringify does, in steps between which other work may run. */
export function* jsonInSteps(value: object, step = STEP): Generator<void, string, void> {
  if (weigh(value, step) < step) return JSON.stringify(value);
  return Array.isArray(value) ? yield* listInSteps(value, step) : yield* objectInSteps(value, step);
}

function* listInSteps(list: readonly unknown[], step: number): Generator<void, string, void> {
  const texts: string[] = [];
  let [light, weight]: [unknown[], number] = [[], 0];
  const flush = (): void => {
    if (light.length > 0) texts.push(JSON.stringify(light).slice(1, -1));
    [light, weight] = [[], 0];
  };
  for (const item of list) {
    const own = weigh(item, step);
    if (own < step) light.push(item);
    if ((weight += own) < step) continue;
    flush();
    yield;
    if (own >= step) texts.push(yield* heavy(item, step));
  }
  flush();
  return `[${texts.join(',')}]`;
}

function* objectInSteps(object: object, step: number): Generator<void, string, void> {
  const texts: string[] = [];
  let weight = 0;
  for (const name of Object.keys(object)) {
    const value = (object as Readonly<Record<string, unknown>>)[name];
    const own = weigh(value, step);
    if ((weight += MEMBER + own) >= step) {
      weight = own;
      yield;
    }
    const text = own < step ? JSON.stringify(value) : yield* heavy(value, step);
    // As in JSON.stringify, undefined members are left out.
    if (text !== undefined) texts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${texts.join(',')}}`;
}

/** Formats a heavy value. A long text weighs as much as a large object, but cannot be split. */
function* heavy(value: unknown, step: number): Generator<void, string, void> {
  return typeof value === 'object' && value !== null ? yield* jsonInSteps(value, step) : JSON.stringify(value);
}

/** Counts the parts of a value, up to the limit. */
function weigh(value: unknown, limit: number): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / PART_OF_TEXT);
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  if (Array.isArray(value)) {
    for (const item of value) if ((weight += weigh(item, limit - weight)) >= limit) return weight;
  } else {
    for (const name in value) {
      if ((weight += weigh((value as Record<string, unknown>)[name], limit - weight)) >= limit) return weight;
    }
  }
  return weight;
}
