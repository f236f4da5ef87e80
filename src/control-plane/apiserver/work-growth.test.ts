import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson } from '#platform/base/json-copy';
import { runSteps } from '#platform/base/steps';
import type { KubeObject } from '#platform/kube/kube-object';
import { applyJsonPatch } from '#platform/kube/patches/json-patch';
import { applyMergePatch } from '#platform/kube/patches/merge-patch';
import { applyStrategicMergePatch } from '#platform/kube/patches/strategic-merge-patch';
import type { JsonSchema } from '#platform/schema/json-schema';
import { measureCpuMs } from '#testing/measure-cpu';
import { runs } from '#testing/runs';
import { invalid } from './api-error.ts';
import { customShape } from './apiextensions/custom-shape.ts';
import { builtInResources } from './builtin-resources.ts';
import { FieldManagement } from './field-management.ts';
import { duplicateFields } from './http/duplicate-fields.ts';
import { kindParts } from './kind-parts.ts';
import { textOf } from './object-text.ts';
import type { RequestContext } from './request-context.ts';
import type { Resource } from './resource.ts';
import { decodeBody } from './verbs/decode.ts';
import { isReadable, type ListPlace, lastFields, listsOf, objectWith, placeName } from './work-growth.fixture.ts';

/** Number of entries to work on, and the factor by which it grows. */
const FEW = 300;
const TIMES = 16;
/** Quadratic work takes 256 times as long for 16 times as much; linear work takes 16 times as long. */
const MAX_TIMES = 60;
/** Less work than this is not representative. */
const MIN_MS = 2;
/** Results that look too slow are measured again: the thread may have collected garbage of others. */
const TRIES = 4;

/**
 * Returns the minimum of several tries, because other activity of the thread, such as garbage collection, does not
 * count.
 */
function leastEffort(work: () => unknown): number {
  return Math.min(...Array.from({ length: 2 }, () => measureCpuMs(work)));
}

/** Fails with the name of work that grows faster than its input. */
function expectLinear(name: string, workOn: (count: number) => () => unknown): void {
  const work = workOn(FEW * TIMES);
  let many = measureCpuMs(work);
  // However little time a few entries take, this is not too long.
  if (many < MIN_MS * MAX_TIMES) return;
  const few = Math.max(leastEffort(workOn(FEW)), MIN_MS);
  for (let more = 1; more < TRIES && many / few >= MAX_TIMES; more++) many = Math.min(many, measureCpuMs(work));
  expect(many / few, `${name}: ${few} ms for ${FEW}, ${many} ms for ${FEW * TIMES}`).toBeLessThan(MAX_TIMES);
}

const resources = builtInResources(kindParts);
const fields = new FieldManagement(() => []);
const user = { name: 'ann', groups: [] };
const callOf = (): RequestContext => ({
  user,
  fieldManager: 'test',
  dryRun: false,
  fieldValidation: 'Warn',
  warnings: [],
  signal: new AbortController().signal,
});
const writer = { manager: 'test', subresource: '', time: '2026-01-01T00:00:00Z' };
const other = { ...writer, manager: 'other' };

/**
 * Does everything that happens to an object between its bytes and the store: on creation, on an update, by patches and
 * apply.
 */
function write(resource: Resource, body: Record<string, unknown>): void {
  duplicateFields(JSON.stringify(body));
  const object = decodeBody(resource, copyJson(body), callOf());
  fields.record(resource, object, undefined, writer);
  resource.strategy.prepareCreate?.(object, user);
  const causes = [...runSteps(resource.shape.validate(object)), ...(resource.strategy.validate?.(object) ?? [])];
  invalid(resource, 'grown', causes);
  if (causes.length === 0) resource.strategy.warnings?.(object);
  textOf(object);
  update(resource, object, body);
}

function update(resource: Resource, old: KubeObject, body: Record<string, unknown>): void {
  const next = decodeBody(resource, reversed(body), callOf());
  fields.record(resource, next, old, other);
  runSteps(resource.shape.validate(next, old));
  try {
    resource.strategy.validate?.(next, old);
  } catch {
    // Stored objects are valid, and rules may rely on that; this one may be invalid.
  }
  const { metadata, ...content } = body;
  const { managedFields: _, ...named } = metadata as Record<string, unknown>;
  const patch = reversed({ ...content, metadata: named });
  applyMergePatch(old as never, patch as never);
  try {
    if (resource.patchSchema !== undefined)
      applyStrategicMergePatch(old as never, patch as never, resource.patchSchema);
    const config = copyJson({ ...content, metadata: named }) as unknown as KubeObject;
    runSteps(fields.apply(resource, config, old, other, true));
  } catch {
    // Ambiguous items are rejected, after as much work.
  }
}

/** Reverses the same lists, so that nothing is where it was. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed).reverse() as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  ) as T;
}

describe('the work on an object grows linearly', () => {
  const places = resources.flatMap((resource) =>
    listsOf(resource)
      .filter((place) => isReadable(resource, place))
      .map((place) => ({ resource, place })),
  );
  const check = ({ resource, place }: { resource: Resource; place: ListPlace }): void =>
    expectLinear(`${resource.plural}.${resource.group} ${placeName(place)}`, (count) => {
      const body = objectWith(resource, place, count);
      return () => write(resource, body);
    });

  it.each(['metadata.labels', 'metadata.annotations', 'metadata.finalizers', 'metadata.ownerReferences', 'data'])(
    'with many %s of a ConfigMap',
    (name) => {
      check(find('ConfigMap', name));
    },
  );

  it('with many managedFields of a client', () => {
    check(find('ConfigMap', 'metadata.managedFields'));
  });

  it('with every list of every built-in kind', { timeout: 10 * 60_000 }, () => {
    expect(places.length).toBeGreaterThan(1000);
    // The long tests try all locations; many are the same list, in the template of one kind of workload or another.
    const isLong = runs(1) > 1;
    const distinct = [...new Map(places.map((each) => [lastFields(each.place), each])).values()];
    const count = Math.min(runs(140), distinct.length);
    const [some = []] = fc.sample(fc.shuffledSubarray(distinct, { minLength: count, maxLength: count }), 1);
    const faults: string[] = [];
    for (const each of isLong ? places : some) {
      // Each of them takes long, and more than a few have one cause.
      if (faults.length === 3) break;
      try {
        check(each);
      } catch (error) {
        faults.push((error as Error).message);
      }
    }
    expect(faults).toEqual([]);
  });

  it.each([
    ['Pod', 'spec.containers.env'],
    ['Role', 'rules'],
    ['Ingress', 'spec.rules'],
  ])('with a %s that has many %s', (kind, name) => check(find(kind, name)));

  function find(kind: string, name: string): (typeof places)[number] {
    const found = places.find((each) => each.resource.kind === kind && placeName(each.place) === name);
    if (found === undefined) throw new Error(`no ${name} in ${kind}`);
    return found;
  }

  it('with every type of list of a custom resource', () => {
    const item: JsonSchema = {
      type: 'object',
      properties: { name: { type: 'string', pattern: '^(a|aa)+[0-9]*$' }, port: { type: 'integer' } },
      required: ['name'],
      'x-kubernetes-validations': [{ rule: 'size(self.name) > 0' }],
    };
    const kinds: Record<string, JsonSchema> = {
      atomic: { type: 'array', items: item },
      keyed: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      unique: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      unknown: { type: 'object', properties: {} },
    };
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(kinds)), fc.boolean(), (kind, twice) => {
        const schema: JsonSchema = { type: 'object', properties: { spec: kinds[kind] as JsonSchema } };
        const shape = customShape('Grown', { name: 'v1', schema: { openAPIV3Schema: schema } });
        expectLinear(`${kind}${twice ? ', each twice' : ''}`, (count) => {
          const body = customObject(kind, count, twice);
          return () => {
            const { object } = runSteps(shape.read(copyJson(body)));
            shape.applyDefaults(object);
            invalid({ group: '', kind: '' }, '', runSteps(shape.validate(object)));
            runSteps(shape.validate(reversed(object), object));
          };
        });
      }),
      { numRuns: 12, examples: Object.keys(kinds).map((kind) => [kind, false] as [string, boolean]) },
    );
  });

  it.each([
    ['add', (at: number) => ({ op: 'add', path: `/data/n${at}`, value: 'v' })],
    ['copy', (at: number) => ({ op: 'copy', from: '/data/k0', path: `/data/n${at}` })],
    ['move', (at: number) => ({ op: 'move', from: `/data/k${at}`, path: `/data/n${at}` })],
    ['test', (at: number) => ({ op: 'test', path: `/data/k${at}`, value: 'v' })],
  ])('with the operations of a JSON patch: %s', (name, operation) => {
    expectLinear(name, (count) => {
      const data = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
      const patch = Array.from({ length: count }, (_, at) => operation(at));
      return () => applyJsonPatch({ data }, patch);
    });
  });
});

function customObject(kind: string, count: number, twice: boolean): KubeObject {
  const at = (i: number) => (twice ? i >> 1 : i);
  const items = Array.from({ length: count }, (_, i) => ({ name: `aaaa${at(i)}`, port: i }));
  const texts = items.map(({ name }) => name);
  const spec =
    kind === 'map' || kind === 'unknown'
      ? Object.fromEntries(items.map(({ name }, i) => [`${name}-${i}`, name]))
      : kind === 'set' || kind === 'unique'
        ? texts
        : items;
  return { apiVersion: 'x.io/v1', kind: 'Grown', metadata: { name: 'grown' }, spec };
}
