import type { Random } from '#platform/base/random';
import { GROUP, gadget } from '../definition.ts';
import { corrupted, plausible } from '../plausible.ts';
import { APPLY_PATCH, collection, MERGE_PATCH, NAMESPACE, type Step, versionOf } from '../step.ts';

/** Custom objects: defaults, pruning, schema and rules, both versions, status and scale. */
export function custom(random: Random): Step[] {
  const path = collection(`${GROUP}/v1`, 'gadgets');
  const object = `${path}/g`;
  const steps: Step[] = [
    { method: 'POST', path, body: { ...gadget('g'), spec: random.next() < 0.5 ? gadget('g').spec : {} } },
  ];
  // Field ownership across versions is tested separately from apply.
  const isCrossing = random.next() < 0.3;
  for (let left = random.int(9, 15); left > 0; left--) steps.push(next(random, object, isCrossing));
  steps.push({ method: 'GET', path: object });
  return steps;
}

function next(random: Random, object: string, isCrossing: boolean): Step {
  const other = object.replace('/v1/', '/v1beta1/');
  const query = random.next() < 0.4 ? { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore', 'Wrong']) } : {};
  const whole = withOneField(random);
  const resourceVersion = versionOf(object);
  switch (random.pick(isCrossing ? [0, 1, 2, 3, 4, 4, 5, 7] : [0, 1, 2, 3, 5, 6, 6, 7, 8])) {
    case 0:
      return { method: 'PUT', path: object, query, body: { ...whole, metadata: { name: 'g', resourceVersion } } };
    case 1:
      return {
        method: 'POST',
        path: object.replace(/\/g$/, ''),
        query: { ...query, dryRun: 'All' },
        body: { ...whole, metadata: { name: 'new' } },
      };
    case 2:
      return {
        method: 'PATCH',
        path: `${object}/status`,
        query,
        contentType: MERGE_PATCH,
        body: {
          spec: { size: 9 },
          metadata: { labels: { s: 't' } },
          status: random.pick<unknown>([
            { replicas: 2, phase: 'Up' },
            { replicas: 'x' },
            { replicas: 1, unknown: 1 },
            null,
            { selector: 'app=x' },
          ]),
        },
      };
    case 3:
      return {
        method: random.pick(['GET', 'GET', 'PATCH']),
        path: `${object}/scale`,
        ...(random.next() < 0.5 ? {} : {}),
        contentType: MERGE_PATCH,
        ...(random.next() < 2 ? scaled(random) : {}),
      };
    case 4:
      return {
        method: 'PATCH',
        path: other,
        query,
        contentType: MERGE_PATCH,
        body: {
          spec: random.pick<object>([{ size: random.int(1, 49) }, { size: 'x' }, { mode: 'Medium' }]),
        },
      };
    case 5:
      return {
        method: 'GET',
        path: random.pick([other, object]),
        accept: random.pick(['application/json', 'application/json;as=Table;v=v1;g=meta.k8s.io', 'application/yaml']),
      };
    case 6:
      return {
        method: 'PATCH',
        path: object,
        query: { ...query, fieldManager: random.pick(['one', 'two']), force: random.pick(['true', 'false']) },
        contentType: APPLY_PATCH,
        body: { apiVersion: `${GROUP}/v1`, kind: 'Gadget', spec: pickFields(random, whole.spec) },
      };
    default:
      return {
        method: 'PATCH',
        path: object,
        query,
        contentType: MERGE_PATCH,
        body: { spec: pickFields(random, whole.spec) },
      };
  }
}

function scaled(random: Random): Partial<Step> {
  if (random.next() < 0.3) return { method: 'GET' };
  return { method: 'PATCH', body: { spec: { replicas: random.pick<unknown>([1, 7, 200, -1, 'x', null, 1.5]) } } };
}

/** Returns a valid gadget with one or two changed fields of the spec. */
function withOneField(random: Random): ReturnType<typeof gadget> {
  const whole = gadget('g');
  if (random.next() < 0.3) return { ...whole, spec: corrupted(random, whole.spec) };
  const key = random.pick(Object.keys(whole.spec));
  return {
    ...whole,
    spec: {
      ...whole.spec,
      [key]: random.next() < 0.4 ? plausible(random) : likely(random, key),
      ...(random.next() < 0.15 ? { unknown: 1 } : {}),
    },
  };
}

const LIKELY: Readonly<Record<string, readonly unknown[]>> = {
  size: [1, 49, 50, 100, 101, 0, 2.5, '5', null],
  small: [0, 1, 2, 2 ** 31, -2],
  share: [0, 1, 1.1, '0.5', 1e-9],
  mode: ['Fast', 'Slow', 'slow', '', null],
  word: ['a', 'ab', 'abcdefghi', 'ABC', 'äöü'],
  when: ['2026-01-01', '2026-01-01T00:00:00+01:00', 'now', ''],
  address: ['10.0.0.256', '::1', ''],
  fixed: ['g', null],
  port: [80, 'x', 1.5, true, {}],
  set: [['a', 'a'], ['a', 'b', 'c', 'd', 'e'], [1], 'a', null],
  plain: [[], [1, 1], ['1']],
  ports: [
    [{ name: 'p' }, { name: 'p' }],
    [{ name: 'no' }],
    [{}],
    [{ name: 'p', protocol: null }],
    [{ name: 'p', unknown: 1 }],
    {},
  ],
  either: [{}, { a: 'x', b: 'y' }, { b: 'y' }],
  limits: [{ a: 1, b: 2, c: 3, d: 4 }, { a: true }, { a: 1.5 }],
  nested: [{}, null, { depth: null }, { name: 'x', extra: 1 }],
  free: [1, 'x', [], { deep: { a: { b: [null] } } }],
};

function likely(random: Random, key: string): unknown {
  return random.pick(LIKELY[key] ?? ['x']);
}

function pickFields(random: Random, spec: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec).filter(() => random.next() < 0.5));
}

/** Valid or broken CRDs, which are only sent as dry runs. */
export function definitions(random: Random): Step[] {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  return Array.from({ length: 8 }, () => ({
    method: 'POST',
    path,
    query: { dryRun: 'All' },
    body: corrupted(random, definitionOf(random)),
  }));
}

function definitionOf(random: Random): object {
  const plural = random.pick(['things', 'gizmos']);
  const group = `${NAMESPACE}.example`;
  const property = () =>
    random.pick<object>([
      { type: 'string', default: 'x', enum: ['x', 'y'] },
      { type: 'integer', minimum: 1, maximum: 5, default: 3 },
      { type: 'array', items: { type: 'string', maxLength: 9 }, 'x-kubernetes-list-type': 'set', maxItems: 9 },
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      },
      { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 4 },
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      {
        type: 'string',
        maxLength: 10,
        'x-kubernetes-validations': [
          {
            rule: random.pick(['self == oldSelf', 'self.size() > 2', 'self > 1', 'size(self) <', 'oldSelf.x']),
            message: 'no',
          },
        ],
      },
      { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'boolean' } } },
    ]);
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: property(), b: property(), c: property() } },
        status: { type: 'object' },
      },
    },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } },
    additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
    selectableFields: [{ jsonPath: '.spec.a' }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: 'Thing', singular: 'thing', shortNames: ['th'] },
      versions: [version, { ...version, name: 'v2', storage: false }],
    },
  };
}
