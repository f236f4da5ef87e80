import { afterAll, beforeAll, expect, test } from 'vitest';
import { definitionOf, GROUP, type Plane, specOf, startPlane, version } from './plane.fixture.ts';

const PATH = `/apis/${GROUP}/v1/namespaces/default/holders?dryRun=All`;
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
  const resource = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const fields = {
    one: resource,
    many: { type: 'array', items: resource },
    named: { type: 'object', additionalProperties: resource },
  };
  await plane.define(definitionOf('holders', 'Holder', [version('v1', { schema: specOf(fields) })]));
});
afterAll(async () => {
  await plane.plane.stop();
});

const ask = async (spec: object, query = '') =>
  await plane.ask('POST', PATH + query, { apiVersion: `${GROUP}/v1`, kind: 'Holder', metadata: { name: 'a' }, spec });
const pod = (metadata: unknown, more: object = {}) => ({ apiVersion: 'v1', kind: 'Pod', metadata, ...more });
const cannot = 'Holder in version "v1" cannot be handled as a Holder:';

test.each([
  [
    { one: pod({ labels: 5 }) },
    `${cannot} spec.one.metadata: Invalid value: {"labels":5}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string`,
  ],
  [
    { many: [pod({}), pod('x')] },
    `${cannot} spec.many[1].metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta`,
  ],
  [
    { named: { it: pod({ name: 5 }) } },
    `${cannot} spec.named[it].metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`,
  ],
  [{ one: pod({}, { kind: 5 }) }, `${cannot} spec.one.kind: Invalid value: 5: must be a string`],
])('an embedded resource must have valid metadata: %j', async (spec, message) => {
  const { code, body } = await ask(spec);
  expect([code, body['message']]).toEqual([400, message]);
});

test.each([
  [{ labels: { 'a b': 'c' } }, 'spec.one.metadata.labels: Invalid value: "a b"'],
  [{ ownerReferences: [{ name: 'x' }] }, 'spec.one.metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
  [{ managedFields: [{ manager: 'x' }] }, 'spec.one.metadata.managedFields[0].operation: Invalid value: ""'],
])('the metadata of an embedded resource is validated as that of any object: %j', async (metadata, reported) => {
  const { code, body } = await ask({ one: pod(metadata) });
  expect([code, body['message']]).toEqual([422, expect.stringContaining(reported)]);
});

test('the apiVersion and kind of an embedded resource are validated', async () => {
  const versioned = await ask({ one: pod({}, { apiVersion: 'a/b/c' }) });
  expect(versioned.body['message']).toContain('spec.one.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion');
  expect((await ask({ one: pod({}, { kind: 'a b' }) })).body['message']).toContain(
    'spec.one.kind: Invalid value: "a b"',
  );
});

test('unknown metadata of an embedded resource is reported and pruned, and the rest is normalized', async () => {
  const spec = { one: pod({ name: 'Any_Name', more: 1, creationTimestamp: null }) };
  const warned = await ask(spec);
  expect([warned.code, warned.warning]).toEqual([201, '299 - "unknown field \\"spec.one.metadata.more\\""']);
  expect(warned.body['spec']).toEqual({ one: pod({ name: 'Any_Name' }) });
  expect((await ask(spec, '&fieldValidation=Strict')).code).toBe(400);
});
