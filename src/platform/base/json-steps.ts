/** Parts of a value that become text in one go: a millisecond or two. */
const STEP = 8_000;
/** Of a text, as much as one more part. */
const PART_OF_TEXT = 64;

/** The JSON text of a large value, made in steps between which others may have a turn. What JSON.stringify gives. */
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

/** A long text is as heavy as a large object, and cannot be cut. */
function* heavy(value: unknown): Generator<void, string, void> {
  return typeof value === 'object' && value !== null ? yield* jsonInSteps(value) : JSON.stringify(value);
}

/** How many parts a value has; no more are counted than the limit. */
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
