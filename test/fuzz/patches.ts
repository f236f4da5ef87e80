import { stringify } from 'yaml';
import type { Random } from '#platform/base/random';
import { type Body, cut, flipped, text } from './bodies.ts';
import { mutated, ODD_TEXTS, oddValue } from './odd-values.ts';
import type { Seed } from './seeds.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** Returns a patch of any type for an existing object, mostly well-formed, rarely valid. */
export function patchFor(random: Random, { body }: Seed): Body {
  const whole = random.pick([jsonPatch, mergePatch, strategicPatch, applied, applied])(random, body);
  const choice = random.next();
  return choice < 0.06 ? cut(random, whole) : choice < 0.12 ? flipped(random, whole) : whole;
}

function jsonPatch(random: Random, body: Seed['body']): Body {
  const operation = () => ({
    op: random.pick([
      'add',
      'remove',
      'replace',
      'move',
      'copy',
      'test',
      'ADD',
      '',
      'nothing',
      ...ODD_TEXTS.slice(0, 3),
    ]),
    path: random.next() < 0.1 ? oddValue(random) : pointer(random, body),
    ...(random.next() < 0.8 ? { value: oddValue(random) } : {}),
    ...(random.next() < 0.5 ? { from: pointer(random, body) } : {}),
  });
  const count = random.next() < 0.02 ? 10_050 : random.int(0, 4);
  const patch = random.next() < 0.05 ? oddValue(random) : Array.from({ length: count }, operation);
  return text(JSON_PATCH, JSON.stringify(patch));
}

/** Returns a path to an existing field, to the edge of a list, or to nothing. */
function pointer(random: Random, body: unknown): string {
  let place = body;
  let path = '';
  while (typeof place === 'object' && place !== null && random.next() < 0.8) {
    const keys = Object.keys(place);
    if (keys.length === 0) break;
    const key = random.pick(keys);
    path += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    place = (place as Record<string, unknown>)[key];
  }
  const end = random.int(0, 9);
  if (end === 0) return `${path}/${random.pick(ODD_TEXTS)}`;
  if (end === 1) return `${path}/-`;
  if (end === 2) return `${path}/${random.pick(['-1', '01', '99999999', '~', '~2', '1e1', '+1'])}`;
  return path;
}

function mergePatch(random: Random, body: Seed['body']): Body {
  return text(MERGE_PATCH, JSON.stringify(random.next() < 0.15 ? oddValue(random) : mutated(random, body)));
}

function strategicPatch(random: Random, body: Seed['body']): Body {
  const patch = mutated(random, body) as Record<string, unknown>;
  for (let left = random.int(0, 2); left > 0; left--) direct(random, patch);
  return text(STRATEGIC_PATCH, JSON.stringify(patch));
}

/** Inserts a directive of strategic merge, more or less at a valid place. */
function direct(random: Random, root: Record<string, unknown>): void {
  let place: unknown = root;
  for (let depth = random.int(0, 6); depth > 0; depth--) {
    if (typeof place !== 'object' || place === null || Object.keys(place).length === 0) break;
    const next = random.pick(Object.values(place));
    if (typeof next === 'object' && next !== null) place = next;
  }
  const directive = random.pick([
    ['$patch', random.pick<unknown>(['delete', 'replace', 'merge', 'nothing', 1, null])],
    ['$retainKeys', random.pick<unknown>([['name'], [1], 'name', null, {}])],
    ['$setElementOrder/containers', random.pick<unknown>([[{ name: 'c' }], ['c'], [{}], null, 'c'])],
    ['$setElementOrder/finalizers', random.pick<unknown>([['x'], [{ a: 1 }], null])],
    ['$deleteFromPrimitiveList/finalizers', random.pick<unknown>([['x'], [{}], null, 'x'])],
  ] as const);
  if (Array.isArray(place)) place.push({ [directive[0]]: directive[1] });
  else (place as Record<string, unknown>)[directive[0]] = directive[1];
}

function applied(random: Random, body: Seed['body']): Body {
  const config = random.next() < 0.3 ? structuredClone(body) : mutated(random, body);
  if (random.next() < 0.1) return text(APPLY_PATCH, stringify(oddValue(random)));
  return text(APPLY_PATCH, random.next() < 0.5 ? JSON.stringify(config) : stringify(config));
}

/** managedFields of a client that does not know their meaning. */
export function oddManagedFields(random: Random): unknown {
  const fieldsV1 = () =>
    random.pick<unknown>([
      { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } },
      { 'k:{"name":"c"}': { '.': {} }, 'v:1': {}, 'i:0': {}, 'i:-1': {}, 'i:x': {} },
      { 'k:{': {} },
      { 'k:[]': {} },
      { 'v:{': {} },
      { x: {} },
      { 'f:__proto__': { 'f:polluted': {} } },
      { '.': 1 },
      oddValue(random),
    ]);
  const entry = () => ({
    manager: random.pick<unknown>(['fuzz', '', 1, null, 'x'.repeat(200)]),
    operation: random.pick<unknown>(['Apply', 'Update', 'Delete', '', null]),
    apiVersion: random.pick<unknown>(['v1', 'apps/v1', 'nowhere/v9', '', null]),
    time: random.pick<unknown>(['2026-01-01T00:00:00Z', 'yesterday', '', null, 5]),
    fieldsType: random.pick<unknown>(['FieldsV1', 'FieldsV2', '', null]),
    fieldsV1: fieldsV1(),
    subresource: random.pick<unknown>(['', 'status', 'scale', 'nothing', 3]),
  });
  return random.next() < 0.1 ? oddValue(random) : Array.from({ length: random.int(0, 4) }, entry);
}
