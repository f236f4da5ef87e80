import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf, GROUP, type Plane, startPlane, version } from './plane.fixture.ts';

const STATUS = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { replicas: { type: 'integer' }, a: { type: 'string' } } },
      status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
    },
  },
} as const;
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const PATH = `/apis/${GROUP}/v1/namespaces/default/probes`;
const MERGE = 'application/merge-patch+json';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
  await plane.define(
    definitionOf('probes', 'Probe', [
      version('v1', { schema: STATUS, subresources: { status: {}, scale } }),
      version('v2', { schema: STATUS, deprecated: true }),
      version('v3', { deprecated: true, deprecationWarning: 'leave it' }),
    ]),
  );
});
afterAll(() => plane.plane.stop());

const probe = (metadata: unknown, more: object = {}) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Probe',
  metadata,
  ...more,
});
async function refusal(method: string, path: string, body: unknown, type?: string): Promise<string> {
  const { code, body: status } = await plane.ask(method, path, body, type);
  return `${code} ${String(status['message'])}`;
}

describe('metadata of the wrong type', () => {
  const PREFIX = '400 Probe in version "v1" cannot be handled as a Probe: ';
  it.each([
    [
      { name: 'p', labels: { k: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
    [
      { name: 'p', labels: [] },
      'json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string',
    ],
    [{ name: 1 }, 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'],
    [
      { name: 'p', generation: 1.5 },
      'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64',
    ],
    [
      { name: 'p', creationTimestamp: 'foo' },
      'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"',
    ],
    [
      { name: 'p', ownerReferences: [{ uid: 1 }] },
      'json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.uid of type types.UID',
    ],
    ['str', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [[], 'json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
  ])('is rejected as by the API server: %j', async (metadata, why) => {
    expect(await refusal('POST', PATH, probe(metadata))).toBe(`${PREFIX}${why}`);
  });

  it('is reported as an error of the patch that sets it', async () => {
    await plane.ask('POST', PATH, probe({ name: 'patched' }));
    const reported = await refusal('PATCH', `${PATH}/patched`, { metadata: { labels: { a: 1 } } }, MERGE);
    expect(reported).toMatch(
      /^422 {2}"" is invalid: patch: Invalid value: "\{\\"apiVersion\\":.*\\"labels\\":\{\\"a\\":1\}/,
    );
    expect(reported).toMatch(/json: cannot unmarshal number into Go struct field ObjectMeta\.labels of type string$/);
  });

  it('is reported by path if a field is only unknown', async () => {
    const reported = await refusal(
      'POST',
      `${PATH}?fieldValidation=Strict`,
      probe({ name: 'p', foo: 1 }, { spec: { b: 1 } }),
    );
    expect(reported).toBe(`${PREFIX}strict decoding error: unknown field "spec.b", unknown field "metadata.foo"`);
  });
});

describe('a body of another type', () => {
  it.each([
    [
      { kind: 'Probe', apiVersion: `${GROUP}/v2` },
      `400 the API version in the data (${GROUP}/v2) does not match the expected API version (${GROUP}/v1)`,
    ],
    [{ kind: 'Probe' }, `400 the API version in the data () does not match the expected API version (${GROUP}/v1)`],
    [
      { kind: 'Other', apiVersion: `${GROUP}/v1` },
      `422 Other.${GROUP} "" is invalid: kind: Invalid value: "Other": must be Probe`,
    ],
    [
      { metadata: { name: 'y' } },
      `400 the object provided is unrecognized (must be of type Probe): Object 'Kind' is missing in '{"metadata":{"name":"y"}}' ({"metadata":{"name":"y"}})`,
    ],
    [
      { kind: 'Probe', apiVersion: 'a/b/c' },
      '400 the object provided is unrecognized (must be of type Probe): unexpected GroupVersion string: a/b/c ({"kind":"Probe","apiVersion":" ...)',
    ],
    [
      [],
      '400 the object provided is unrecognized (must be of type Probe): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
  ])('is rejected as by the API server: %j', async (body, reported) => {
    expect(await refusal('POST', PATH, body)).toBe(reported);
  });

  it('cannot be the result of a patch', async () => {
    await plane.ask('POST', PATH, probe({ name: 'typed' }));
    expect(await refusal('PATCH', `${PATH}/typed`, { apiVersion: `${GROUP}/v2` }, MERGE)).toBe(
      `422 Probe.${GROUP} "typed" is invalid: apiVersion: Invalid value: "${GROUP}/v2": must be ${GROUP}/v1`,
    );
    expect(await refusal('PATCH', `${PATH}/typed`, { kind: 'Foo' }, MERGE)).toBe(
      `422 Foo.${GROUP} "typed" is invalid: kind: Invalid value: "Foo": must be Probe`,
    );
  });

  it('is rejected if its name, namespace or resource version does not fit the request', async () => {
    await plane.ask('POST', PATH, probe({ name: 'put' }));
    expect(await refusal('PUT', `${PATH}/put`, probe({ name: 'z' }))).toBe(
      '400 the name of the object (z) does not match the name on the URL (put)',
    );
    expect(await refusal('PUT', `${PATH}/put`, probe({ name: 'put', namespace: 'other' }))).toBe(
      '400 the namespace of the provided object does not match the namespace sent on the request',
    );
    expect(await refusal('PUT', `${PATH}/put`, probe({ name: 'put' }))).toBe(
      `422 probes.${GROUP} "put" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
    expect(await refusal('PUT', `${PATH}/nope`, probe({ name: 'nope' }))).toBe(`404 probes.${GROUP} "nope" not found`);
  });
});

describe('the status of a custom resource', () => {
  it('is written separately, without changing anything else', async () => {
    await plane.ask('POST', PATH, probe({ name: 's' }, { spec: { replicas: 1 }, status: { replicas: 9 } }));
    const { body: written } = await plane.ask(
      'PATCH',
      `${PATH}/s/status`,
      { metadata: { labels: { a: 'b' } }, spec: { replicas: 5 }, status: { replicas: 2 } },
      MERGE,
    );
    expect(written).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 2 } });
    expect(written['metadata']).not.toHaveProperty('labels');
    const { body } = await plane.ask('PATCH', `${PATH}/s`, { spec: { replicas: 3 }, status: { replicas: 7 } }, MERGE);
    expect(body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { replicas: 2 } });
  });

  it('is part of the object if the version has no status subresource', async () => {
    await plane.ask('POST', PATH, probe({ name: 'plain' }));
    const path = PATH.replace('/v1/', '/v2/');
    const { body } = await plane.ask('PATCH', `${path}/plain`, { status: { replicas: 2 } }, MERGE);
    expect(body['status']).toEqual({ replicas: 2 });
    expect((await plane.ask('GET', `${path}/plain/status`)).code).toBe(404);
  });
});

describe('the scale of a custom resource', () => {
  it('reads and writes its number of replicas', async () => {
    await plane.ask('POST', PATH, probe({ name: 'scaled' }, { spec: { replicas: 1 } }));
    await plane.ask('PATCH', `${PATH}/scaled/status`, { status: { replicas: 2, selector: 'a=b' } }, MERGE);
    const { body } = await plane.ask('GET', `${PATH}/scaled/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { replicas: 2, selector: 'a=b' },
    });
    const sent = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'scaled', namespace: 'default' } };
    const put = await plane.ask('PUT', `${PATH}/scaled/scale`, { ...sent, spec: { replicas: 4 } });
    expect(put.body).toMatchObject({ spec: { replicas: 4 } });
    expect((await plane.ask('GET', `${PATH}/scaled`)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 4 },
    });
    expect(await refusal('PATCH', `${PATH}/scaled/scale`, { spec: { replicas: -4 } }, MERGE)).toBe(
      `422 Probe.${GROUP} "scaled" is invalid: .spec.replicas: Invalid value: -4: should be a non-negative integer`,
    );
  });

  it('fails if the object has no number of replicas', async () => {
    await plane.ask('POST', PATH, probe({ name: 'unscaled' }, { spec: {} }));
    expect(await refusal('GET', `${PATH}/unscaled/scale`, undefined)).toBe(
      '500 Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    );
  });
});

describe('a deprecated version', () => {
  it('adds a warning to every response', async () => {
    const [second, third] = [PATH.replace('/v1/', '/v2/'), PATH.replace('/v1/', '/v3/')];
    expect((await plane.ask('GET', second)).warning).toBe(`299 - "${GROUP}/v2 Probe is deprecated"`);
    expect((await plane.ask('GET', third)).warning).toBe('299 - "leave it"');
    expect((await plane.ask('GET', PATH)).warning).toBeNull();
    const body = { ...probe({ name: 'warned' }, { spec: { b: 1 } }), apiVersion: `${GROUP}/v2` };
    expect((await plane.ask('POST', second, body)).warning).toBe(
      `299 - "${GROUP}/v2 Probe is deprecated", 299 - "unknown field \\"spec.b\\""`,
    );
  });
});

describe('a status that the schema has a default for', () => {
  const properties = {
    phase: { type: 'string', default: 'New' },
    note: { type: 'string' },
    seen: { type: 'integer' },
  } as const;
  const schema = {
    openAPIV3Schema: { type: 'object', properties: { status: { type: 'object', default: { seen: 0 }, properties } } },
  } as const;
  const path = `/apis/${GROUP}/v1/namespaces/default/starters`;

  it('is set on creation whatever the client sends, and changed only through the subresource', async () => {
    await plane.define(definitionOf('starters', 'Starter', [version('v1', { schema, subresources: { status: {} } })]));
    const starter = { apiVersion: `${GROUP}/v1`, kind: 'Starter', metadata: { name: 's' }, status: { phase: 'Mine' } };
    const { body } = await plane.ask('POST', path, starter);
    expect(body['status']).toEqual({ seen: 0, phase: 'New' });
    const patched = await plane.ask('PATCH', `${path}/s/status`, { status: { note: 'a' } }, MERGE);
    expect(patched.body['status']).toEqual({ seen: 0, phase: 'New', note: 'a' });
    const other = await plane.ask('POST', path, { ...starter, metadata: { name: 't' } });
    expect(other.body['status']).toEqual({ seen: 0, phase: 'New' });
  });
});
