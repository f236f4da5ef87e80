import type { Random } from '#platform/base/random';

/** Strings that are difficult for parsers, paths, names and file systems. */
export const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '\t', '\n', '\0', '\u0001', '\u2028', '\u202e', '\ud800', '\ufeff', 'é', '日本語', '💥', 'İ'],
  ...['.', '..', '/', '//', '\\', '../..', '..%2f..%2f', '%', '%2', '%zz', '%00', '%c0%af', '../../etc/passwd'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', 'valueOf', 'toJSON'],
  ...['null', 'true', 'false', 'NaN', 'Infinity', '-0', '0', '-1', '1e999', '0x10', '1_000', '9223372036854775808'],
  ...[
    '999999999999999999999999999999',
    '1Ki',
    '1.5Gi',
    '1e3',
    '-5m',
    '100n',
    '1E',
    '12h',
    '-1s',
    '1969-12-31T23:59:60Z',
  ],
  ...[
    'a=b',
    'a in (b',
    'a in ()',
    '!a',
    'a,,b',
    'a==b==c',
    'a notin (',
    'metadata.name=',
    '=',
    ',',
    '()',
    'x in (a,b),!y',
  ],
  ...[
    '$ref',
    '$patch',
    '$retainKeys',
    '$setElementOrder/containers',
    '$deleteFromPrimitiveList/x',
    '*',
    '{}',
    '[]',
    '"',
  ],
  ...['${jndi:ldap://x}', '<script>', '`id`', "' OR 1=1", '{{.}}', '%s%n%x', '(a+)+$', '^(([a-z])+.)+$', '[', '(?<x>'],
  ...['v1', 'apps/v1', 'a/b/c', '0.0.0.0', '::1', '256.256.256.256', '10.0.0.0/33', 'http://', 'https://x:99999/%'],
  ...[
    'a'.repeat(64),
    'a'.repeat(254),
    `${'a.'.repeat(200)}a`,
    '-a',
    'a-',
    'A',
    'a_b',
    'a b',
    '1',
    'kube-system',
    'default',
  ],
  ...['x'.repeat(70_000), 'é'.repeat(2_000), `${'a'.repeat(5_000)}!`, '/'.repeat(3_000), '('.repeat(3_000)],
];

const ODD_NUMBERS: readonly number[] = [
  ...[0, -0, 1, -1, 0.1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53, 2 ** 63, -(2 ** 63), 1e21, 1e308, 5e-324, 65_536],
];

/** Returns any JSON value, mostly small, sometimes of an unexpected shape. */
export function oddValue(random: Random, depth = 0): unknown {
  const kind = random.int(0, depth > 3 ? 5 : 9);
  if (kind <= 2) return random.pick(ODD_TEXTS);
  if (kind === 3) return random.pick(ODD_NUMBERS);
  if (kind === 4) return random.pick([null, true, false]);
  if (kind === 5) return random.pick<unknown>([[], {}]);
  if (kind <= 7) return Array.from({ length: random.int(1, 4) }, () => oddValue(random, depth + 1));
  return fromEntries(
    Array.from({ length: random.int(1, 4) }, () => [random.pick(ODD_TEXTS), oddValue(random, depth + 1)]),
  );
}

/** Creates an object with own keys of any name, like JSON.parse. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): object {
  const object = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** Returns a copy with a few changes: values are replaced, removed, duplicated, renamed or swapped. */
export function mutated(random: Random, value: unknown): unknown {
  const copy = structuredClone(value);
  for (let left = random.int(1, 3); left > 0; left--) mutateOnce(random, copy);
  return copy;
}

function mutateOnce(random: Random, root: unknown): void {
  let place = root as Record<string, unknown> | unknown[];
  for (;;) {
    if (typeof place !== 'object' || place === null) return;
    const keys = Object.keys(place);
    const key = keys.length === 0 ? undefined : random.pick(keys);
    const next = key === undefined ? undefined : (place as Record<string, unknown>)[key];
    if (key !== undefined && typeof next === 'object' && next !== null && random.next() < 0.75) {
      place = next as Record<string, unknown>;
      continue;
    }
    change(random, place, key);
    return;
  }
}

function change(random: Random, place: Record<string, unknown> | unknown[], key: string | undefined): void {
  const action = random.int(0, 5);
  if (Array.isArray(place)) {
    if (action === 0) place.push(structuredClone(place[0]));
    else if (action === 1) place.length = 0;
    else if (key === undefined) place.push(oddValue(random));
    else place[Number(key)] = oddValue(random);
    return;
  }
  const set = (name: string, value: unknown): void => {
    Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
  };
  if (action === 0 && key !== undefined) delete place[key];
  else if (action === 1) set(random.pick(ODD_TEXTS), oddValue(random));
  else if (action === 2 && key !== undefined) set(random.pick(ODD_TEXTS), structuredClone(place[key]));
  else if (action === 3 && key !== undefined) set(key, [structuredClone(place[key])]);
  else set(key ?? random.pick(ODD_TEXTS), oddValue(random));
}
