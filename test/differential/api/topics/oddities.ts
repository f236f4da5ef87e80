import type { Random } from '#platform/base/random';
import {
  APPLY_PATCH,
  collection,
  JSON_PATCH,
  MERGE_PATCH,
  madeFrom,
  NAMESPACE,
  STRATEGIC_PATCH,
  type Step,
  versionOf,
} from '../step.ts';

const MAPS = collection('v1', 'configmaps');
const map = (metadata: object, rest: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...rest });

/** Wrong paths, methods, types and bodies, generated names, and objects that do not match their URL. */
export function oddities(random: Random): Step[] {
  const steps: Step[] = [{ method: 'POST', path: MAPS, body: map({ name: 'm' }, { data: { a: '1' } }) }];
  for (let left = random.int(10, 16); left > 0; left--) steps.push(random.pick(ODD)(random));
  return steps;
}

const PATHS = [
  '/api',
  '/apis',
  '/api/v1',
  '/api/v2',
  '/apis/apps',
  '/apis/apps/v2',
  '/apis/nothing.example',
  '/apis/differential.example',
  '/apis/differential.example/v1',
  '/api/v1/nothing',
  '/api/v1/namespaces/⟦ns⟧/nothing',
  '/api/v1/namespaces/⟦ns⟧/configmaps/m/status',
  '/api/v1/namespaces/⟦ns⟧/configmaps/m/x/y',
  '/api/v1/configmaps/m',
  '/api/v1/namespaces/none/configmaps/m',
  '/apis/differential.example/v1/namespaces/⟦ns⟧/gadgets/x/nothing',
  '/apis/apps/v1/namespaces/⟦ns⟧/deployments/none/scale',
  '/apis/differential.example/v2/namespaces/⟦ns⟧/gadgets',
  '/nothing',
  '/api/v1/namespaces/⟦ns⟧/finalize',
  '/api/v1/namespaces/⟦ns⟧/pods/none/binding',
  '/api/v1/namespaces/⟦ns⟧/pods/none/eviction',
  '/apis/differential.example/v1/territories/x',
  '/apis/differential.example/v1/namespaces/⟦ns⟧/territories',
  '/apis/differential.example/v1/gadgets/x',
  '/api/v1/namespaces/⟦ns⟧/pods/none/log',
];

const TEXTS = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{}',
  '{"kind":"ConfigMap"}',
  '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}',
  '{"apiVersion":"v2","kind":"ConfigMap"}',
  '{"metadata":{"name":"a","name":"b"}}',
  '{"metadata":{"name":"a"},"data":{"a":1}}',
  '{"metadata":{"name":"a"},"data":[]}',
  '{"metadata":[]}',
  '{"metadata":{"labels":{"a":null}}}',
  '{"metadata":{"name":"c"},"Data":{"a":"b"}}',
];

const ODD: readonly ((random: Random) => Step)[] = [
  (random) => ({
    method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
    path: random.pick(PATHS),
    ...(random.next() < 0.5 ? { body: random.pick<unknown>([{}, map({ name: 'x' })]) } : {}),
  }),
  (random) => ({ method: 'GET', path: random.pick(PATHS) }),
  (random) => ({
    method: random.pick(['POST', 'PUT']),
    path: random.pick([MAPS, `${MAPS}/m`]),
    body: random.pick(TEXTS),
    contentType: random.pick([
      'application/json',
      'application/json',
      'application/yaml',
      'text/plain',
      'application/xml',
      '',
      'application/json; charset=utf-8',
    ]),
  }),
  (random) => ({
    method: 'PATCH',
    path: `${MAPS}/m`,
    body: random.pick([
      ...TEXTS,
      '[{"op":"add"}]',
      '[{"op":"x","path":"/data"}]',
      '[{"op":"test","path":"/data/a","value":"2"}]',
      '[{"op":"remove","path":"/data/z"}]',
      '[{"op":"replace","path":"data","value":1}]',
      '[{"op":"add","path":"/data/b/c","value":"1"}]',
      '[{"op":"copy","from":"/data/q","path":"/data/r"}]',
    ]),
    contentType: random.pick([
      JSON_PATCH,
      JSON_PATCH,
      MERGE_PATCH,
      STRATEGIC_PATCH,
      APPLY_PATCH,
      'application/json',
      'x/y',
    ]),
    query: random.next() < 0.5 ? { fieldManager: 'one' } : {},
  }),
  (random) => ({
    method: 'POST',
    path: MAPS,
    body: map({
      generateName: random.pick(['made-', 'made-', 'Made', 'a'.repeat(70), '-', '']),
      ...(random.next() < 0.2 ? { name: 'both' } : {}),
    }),
    query: random.next() < 0.2 ? { dryRun: 'All' } : {},
  }),
  () => ({ method: 'GET', path: `${MAPS}/${madeFrom('made-')}` }),
  (random) => ({
    method: 'POST',
    path: MAPS,
    body: map(
      random.pick<object>([
        { name: 'm' },
        { name: 'M' },
        { name: '' },
        {},
        { name: 'x', namespace: 'other' },
        { name: 'x', namespace: NAMESPACE },
        { name: 'y', uid: 'u' },
        { name: 'z', resourceVersion: '1' },
        { name: 'w', labels: { 'a b': 'c' } },
        { name: 'v', annotations: { 'A/B/C': '1' } },
        { name: 'u', finalizers: ['x'] },
        { name: 't', ownerReferences: [{}] },
        { name: 's', generation: 4, creationTimestamp: '2020-01-01T00:00:00Z' },
        { name: 'r', managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1' }] },
        { name: 'a'.repeat(254) },
        { name: 'a..b' },
      ]),
    ),
  }),
  (random) => ({
    method: 'PUT',
    path: `${MAPS}/${random.pick(['m', 'none', 'm'])}`,
    body: map(
      random.pick<object>([
        { name: 'm' },
        { name: 'other' },
        {},
        { name: 'm', resourceVersion: versionOf(`${MAPS}/m`) },
        { name: 'm', resourceVersion: versionOf(`${MAPS}/m`, 1) },
        { name: 'm', resourceVersion: 'x' },
        { name: 'm', uid: 'x' },
        { name: 'm', namespace: 'other' },
        { name: 'none', resourceVersion: '1' },
      ]),
      { data: { a: random.pick(['1', '2']) } },
    ),
    query: random.next() < 0.2 ? { dryRun: random.pick(['All', 'x']) } : {},
  }),
  (random) => ({
    method: 'POST',
    path: MAPS,
    body: map(
      { name: `i${random.int(1, 3)}` },
      random.pick<object>([
        { immutable: true, data: { a: 'b' } },
        { data: { 'a b': 'c' } },
        { data: { '': 'c' } },
        { data: { a: 'b' }, binaryData: { a: 'AA==' } },
        { binaryData: { a: '!' } },
        { unknown: 1 },
        { data: { a: 'x' }, unknown: { b: 1 } },
      ]),
    ),
    query: random.pick([
      {},
      { fieldValidation: 'Strict' },
      { fieldValidation: 'Warn' },
      { fieldValidation: 'Ignore' },
      { fieldValidation: 'x' },
      { fieldManager: 'x'.repeat(129) },
      { fieldManager: 'é' },
      { pretty: 'true' },
      { dryRun: '' },
    ]),
  }),
  (random) => ({
    method: 'PATCH',
    path: `${MAPS}/i${random.int(1, 3)}`,
    contentType: MERGE_PATCH,
    body: random.pick<unknown>([
      { data: { a: 'z' } },
      { immutable: false },
      { immutable: null },
      { metadata: { labels: { x: 'y' } } },
    ]),
  }),
  (random) => ({
    method: 'GET',
    path: random.pick([
      '/api/v1/namespaces/⟦ns⟧',

      '/livez/nothing',
      '/api/v1/namespaces/⟦ns⟧/status',
    ]),
  }),
];
