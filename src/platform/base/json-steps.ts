/** Number of parts of a value that are formatted in one step, which takes a millisecond or two. */
const STEP = 8_000;
/** Number of characters of a text that count as one part. */
const PART_OF_TEXT = 64;

/** Formats a large value as JSON.stringify does, in steps between which other work may run. */
export function* jsonInSteps(value: object): Generator<void, string, void> {
  if (weigh(value, STEP) < STEP) return JSON.stringify(value);
  return Array.isArray(value) ? yield* listInSteps(value) : yield* objectInSteps(value);
}

function* listInSteps(list: readonly unknown[]): Generator<void, string, void> {
  const texts: string[] = [];
  let [light, weight]: [unknown[], number] = [[], 0];
  const flush = (): void => {
    if (light.length > 0) texts.push(JSON.stringify(light).slice(1, -1));
    [light, weight] = [[], 0];
  };
  for (const item of list) {
    const own = weigh(item, STEP);
    if (own < STEP) light.push(item);
    if ((weight += own) < STEP) continue;
    flush();
    yield;
    if (own >= STEP) texts.push(yield* heavy(item));
  }
  flush();
  return `[${texts.join(',')}]`;
}

function* objectInSteps(object: object): Generator<void, string, void> {
  const texts: string[] = [];
  let [light, weight]: [[string, unknown][], number] = [[], 0];
  const flush = (): void => {
    const text = JSON.stringify(Object.fromEntries(light)).slice(1, -1);
    if (text !== '') texts.push(text);
    [light, weight] = [[], 0];
  };
  for (const [name, value] of Object.entries(object)) {
    const own = weigh(value, STEP);
    if (own < STEP) light.push([name, value]);
    if ((weight += own) < STEP) continue;
    flush();
    yield;
    if (own >= STEP) texts.push(`${JSON.stringify(name)}:${yield* heavy(value)}`);
  }
  flush();
  return `{${texts.join(',')}}`;
}

/** Formats a heavy value. A long text weighs as much as a large object, but cannot be split. */
function* heavy(value: unknown): Generator<void, string, void> {
  return typeof value === 'object' && value !== null ? yield* jsonInSteps(value) : JSON.stringify(value);
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
