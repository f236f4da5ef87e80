import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definitionOf, GROUP, type Plane } from './apiextensions/plane.fixture.ts';
import { MERGE, messageOf, NAMESPACE, startPlaneForPods, template } from './kubernetes-answers.fixture.ts';

/** Compares with the responses of kube-apiserver v1.36.3 to the same requests. */

let plane: Plane;
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const APPLY = 'application/apply-patch+yaml';

beforeAll(async () => {
  plane = await startPlaneForPods();
});
afterAll(() => plane.plane.stop());

describe('a request body', () => {
  it('must contain the name in an update, and in an apply that creates the object', async () => {
    const nameless = 'the name of the object (x based on URL) was undeterminable: name must be provided';
    const put = await plane.ask('PUT', `${NAMESPACE}/configmaps/x`, { data: {} });
    expect([put.code, messageOf(put)]).toEqual([400, nameless]);
    const config = { apiVersion: 'v1', kind: 'ConfigMap' };
    const applied = await plane.ask('PATCH', `${NAMESPACE}/configmaps/x?fieldManager=m`, config, APPLY);
    expect([applied.code, messageOf(applied)]).toEqual([400, nameless]);
  });

  it('is checked for conflicts before its name is compared with the path', async () => {
    const path = `${NAMESPACE}/configmaps/named`;
    const config = (name: string, a: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { a },
    });
    await plane.ask('PATCH', `${path}?fieldManager=one`, config('named', '1'), APPLY);
    const conflict = await plane.ask('PATCH', `${path}?fieldManager=two`, config('other', '2'), APPLY);
    expect(conflict.code).toBe(409);
    const misnamed = await plane.ask('PATCH', `${path}?fieldManager=two`, config('other', '1'), APPLY);
    expect(misnamed.code).toBe(400);
  });

  it('keeps its generation if its kind does not count generations', async () => {
    const { body } = await plane.ask('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'g', generation: 4 } });
    expect(body['metadata']).toMatchObject({ generation: 4 });
  });
});

describe('a deletion', () => {
  it('in the foreground that has to wait is accepted with 202', async () => {
    const metadata = { name: 'held', finalizers: ['x.y/z'] };
    await plane.ask('POST', `${NAMESPACE}/configmaps`, { metadata });
    const path = `${NAMESPACE}/configmaps/held`;
    expect((await plane.ask('DELETE', path, { propagationPolicy: 'Foreground' })).code).toBe(200);
    expect((await plane.ask('DELETE', path, { orphanDependents: false })).code).toBe(202);
  });

  it('of a Job warns that its pods stay, unless the client sets a propagation policy', async () => {
    const spec = { template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
    await plane.ask('POST', JOBS, { metadata: { name: 'j' }, spec });
    expect((await plane.ask('DELETE', `${JOBS}/j?dryRun=All`)).warning).toContain(
      'child pods are preserved by default',
    );
    expect((await plane.ask('DELETE', `${JOBS}/j`, { propagationPolicy: 'Background' })).warning).toBeNull();
  });
});

describe('the error', () => {
  it('of a deletion lists all invalid options', async () => {
    const options = { propagationPolicy: 'Wrong', orphanDependents: true, dryRun: ['Some'] };
    const { body } = await plane.ask('DELETE', `${NAMESPACE}/configmaps/x`, options);
    const { causes } = body['details'] as { causes: { field: string }[] };
    expect(causes.map(({ field }) => field)).toEqual(['propagationPolicy', 'propagationPolicy', 'dryRun']);
  });

  it('of a LocalSubjectAccessReview lists all invalid fields', async () => {
    const path = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
    const spec = { user: 'u', resourceAttributes: { namespace: 'other' }, nonResourceAttributes: { path: '/' } };
    const { body } = await plane.ask('POST', path, { metadata: { namespace: 'default' }, spec });
    const { causes } = body['details'] as { causes: { field: string }[] };
    expect(causes.map(({ field }) => field)).toEqual([
      'spec.nonResourceAttributes',
      'spec.resourceAttributes.namespace',
      'spec.nonResourceAttributes',
    ]);
  });

  it('of a value that cannot be converted on apply is an internal error', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, binaryData: { b: '10.0' } };
    const { code, body } = await plane.ask('PATCH', `${NAMESPACE}/configmaps/b?fieldManager=m`, config, APPLY);
    expect([code, body['message']]).toEqual([
      500,
      'failed to convert new object (/b; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 2',
    ]);
  });

  it('of a fractional object count in a quota contains the amount', async () => {
    const spec = { hard: { 'count/jobs.batch': '1.5' } };
    const response = await plane.ask('POST', `${NAMESPACE}/resourcequotas`, { metadata: { name: 'q' }, spec });
    expect(messageOf(response)).toContain('spec.hard[count/jobs.batch]: Invalid value: "1500m": must be an integer');
  });
});

describe('requests are lenient as in Kubernetes:', () => {
  const CONFIG_MAPS = `${NAMESPACE}/configmaps`;

  it('a LimitRange without a name gets a generated one', async () => {
    const { code, body } = await plane.ask('POST', `${NAMESPACE}/limitranges`, {});
    expect([code, (body['metadata'] as { name: string }).name]).toEqual([
      201,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
  });

  it('the deletionTimestamp may be sent once the object is terminating', async () => {
    await plane.ask('POST', CONFIG_MAPS, { metadata: { name: 'ending', finalizers: ['x.y/z'] } });
    const patch = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect((await plane.ask('PATCH', `${CONFIG_MAPS}/ending`, patch, MERGE)).code).toBe(422);
    await plane.ask('DELETE', `${CONFIG_MAPS}/ending`);
    expect((await plane.ask('PATCH', `${CONFIG_MAPS}/ending`, patch, MERGE)).code).toBe(200);
  });

  it('a second deletion of a pod ignores the propagation policy, and its finalizers', async () => {
    const metadata = { name: 'held', finalizers: ['foregroundDeletion'] };
    await plane.ask('POST', `${NAMESPACE}/pods`, { metadata, spec: template.spec });
    await plane.ask('DELETE', `${NAMESPACE}/pods/held`);
    const { body } = await plane.ask('DELETE', `${NAMESPACE}/pods/held`, { propagationPolicy: 'Background' });
    expect(body['metadata']).toMatchObject({ finalizers: ['foregroundDeletion'] });
    expect((await plane.ask('GET', `${NAMESPACE}/pods/held`)).code).toBe(404);
  });

  it('but an invalid propagation policy is rejected, even if nothing is deleted', async () => {
    const { code } = await plane.ask('DELETE', `${CONFIG_MAPS}?labelSelector=no=one&propagationPolicy=Wrong`);
    expect(code).toBe(422);
  });

  it('a list of one name has no continue token', async () => {
    for (const name of ['one', 'two', 'unread']) await plane.ask('POST', CONFIG_MAPS, { metadata: { name } });
    const { body } = await plane.ask('GET', `${CONFIG_MAPS}?fieldSelector=metadata.name=one&limit=1`);
    expect(body['metadata']).not.toHaveProperty('continue');
  });

  it('the last of duplicate keys in a patch wins, with a warning', async () => {
    await plane.ask('POST', CONFIG_MAPS, { metadata: { name: 'twice-patched' } });
    const path = `${CONFIG_MAPS}/twice-patched`;
    const merged = await plane.ask('PATCH', path, '{"data":{"a":"1","a":"2"}}', MERGE);
    expect([merged.body['data'], merged.warning]).toEqual([{ a: '2' }, '299 - "duplicate field \\"data.a\\""']);
    const strict = await plane.ask('PATCH', `${path}?fieldValidation=Strict`, '{"data":{"a":"1","a":"2"}}', MERGE);
    expect([strict.code, messageOf(strict)]).toEqual([
      422,
      expect.stringMatching(/strict decoding error: duplicate field "data.a"$/),
    ]);
    const operation = '[{"op":"add","op":"add","path":"/data","value":{}}]';
    const { warning } = await plane.ask('PATCH', path, operation, 'application/json-patch+json');
    expect(warning).toBe('299 - "json patch duplicate field \\"[0].op\\""');
  });
});

describe('a body that cannot be decoded', () => {
  const STRATEGIC = 'application/strategic-merge-patch+json';
  const path = `${NAMESPACE}/configmaps/unread`;

  it.each([
    ['POST', 'application/json', '{', "couldn't get version/kind; json parse error: unexpected end of JSON input ({)"],
    ['PATCH', MERGE, '{"a" 1}', "error decoding patch: invalid character '1' after object key"],
    ['PATCH', STRATEGIC, 'x', "invalid character 'x' looking for beginning of value"],
  ])('is reported with the message of Go: %s %s %s', async (method, type, text, said) => {
    const response = await plane.ask(method, method === 'POST' ? `${NAMESPACE}/configmaps` : path, text, type);
    expect([response.code, messageOf(response)]).toEqual([
      400,
      expect.stringMatching(new RegExp(`${RegExp.escape(said)}$`)),
    ]);
  });

  it('because of duplicate keys in JSON sent as YAML is reported by line', async () => {
    const body = '{"metadata":{"name":"a","name":"twice"}}';
    const { code, warning } = await plane.ask('POST', `${NAMESPACE}/configmaps`, body, 'application/yaml');
    expect([code, warning]).toEqual([201, '299 - "line 1: key \\"name\\" already set in map"']);
  });
});

describe('a patch', () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const JSON_PATCH = 'application/json-patch+json';

  it('must keep the resource version if the kind requires one on update', async () => {
    await plane.ask('POST', leases, { metadata: { name: 'l' }, spec: {} });
    const patch = [{ op: 'replace', path: '/metadata', value: { name: 'l' } }];
    const { code } = await plane.ask('PATCH', `${leases}/l`, patch, JSON_PATCH);
    expect(code).toBe(422);
  });

  it.each([
    [{ spec: 1.5 }, 'map[spec:1.5]', 'cannot restore struct from: float64'],
    [{ spec: { holderIdentity: 7 } }, 'map[spec:map[holderIdentity:7]]', 'cannot convert int64 to string'],
    [{ spec: { holderIdentity: [] } }, 'map[spec:map[holderIdentity:[]]]', 'unrecognized type: string'],
    [
      { spec: { leaseDurationSeconds: 1.5 } },
      'map[spec:map[leaseDurationSeconds:1.5]]',
      'cannot convert float64 to int32',
    ],
    [
      { spec: { renewTime: 5 } },
      'map[spec:map[renewTime:5]]',
      'json: cannot unmarshal number into Go value of type string',
    ],
    [{ metadata: { labels: 'x' } }, 'map[metadata:map[labels:x]]', 'cannot restore map from string'],
    [{ metadata: { finalizers: {} } }, 'map[metadata:map[finalizers:map[]]]', 'cannot restore slice from map'],
  ])(
    'that does not fit the type is quoted, and reported as by the converter of Kubernetes: %j',
    async (patch, quoted, why) => {
      await plane.ask('POST', leases, { metadata: { name: 'words' }, spec: {} });
      const response = await plane.ask('PATCH', `${leases}/words`, patch, 'application/strategic-merge-patch+json');
      expect(messageOf(response)).toBe(` "" is invalid: patch: Invalid value: "${quoted}": ${why}`);
    },
  );

  it('that makes two fields invalid reports the first by name', async () => {
    await plane.ask('POST', leases, { metadata: { name: 'two' }, spec: {} });
    const patch = ['labels', 'annotations'].map((field) => ({ op: 'add', path: `/metadata/${field}`, value: 'x' }));
    const response = await plane.ask('PATCH', `${leases}/two`, patch, JSON_PATCH);
    expect(messageOf(response)).toMatch(
      /: json: cannot unmarshal string into Go struct field ObjectMeta.metadata.annotations of type map\[string\]string$/,
    );
  });

  it('of a subresource with another kind is rejected', async () => {
    const scale = '/apis/apps/v1/namespaces/default/deployments/none/scale';
    const response = await plane.ask('PUT', scale, { apiVersion: 'v1', kind: 'ConfigMap' });
    expect(messageOf(response)).toBe(
      'ConfigMap in version "v1" cannot be handled as a Scale: converting (v1.ConfigMap) to (autoscaling.Scale): unknown conversion',
    );
  });

  it('that changes the kind is decoded as the new kind first', async () => {
    await plane.ask('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'plain' }, data: { a: '1' } });
    const path = `${NAMESPACE}/configmaps/plain`;
    expect(messageOf(await plane.ask('PATCH', path, { kind: 'Secret' }, MERGE))).toMatch(
      /illegal base64 data at input byte 0$/,
    );
    expect(messageOf(await plane.ask('PATCH', path, { kind: 'Pod', data: null }, MERGE))).toMatch(
      /: converting \(v1.Pod\) to \(core.ConfigMap\): unknown conversion$/,
    );
  });

  it('can remove all managedFields', async () => {
    await plane.ask('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'owned' }, data: { a: '1' } });
    const patch = [{ op: 'add', path: '/metadata/managedFields', value: [] }];
    const { body } = await plane.ask('PATCH', `${NAMESPACE}/configmaps/owned`, patch, JSON_PATCH);
    expect(body['metadata']).not.toHaveProperty('managedFields');
  });

  it('of the status of a deployment does not change its labels', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await plane.ask('POST', path, { metadata: { name: 'd', labels: { a: 'b' } }, spec });
    const { body } = await plane.ask('PATCH', `${path}/d/status`, { metadata: { labels: { new: 'x' } } }, MERGE);
    expect(body['metadata']).toMatchObject({ labels: { a: 'b' } });
  });

  it('that removes the last finalizer returns the previous resource version', async () => {
    const path = `${NAMESPACE}/configmaps/last`;
    await plane.ask('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'last', finalizers: ['x.y/z'] } });
    const { body: dying } = await plane.ask('DELETE', path);
    const { body } = await plane.ask('PATCH', path, { metadata: { finalizers: null } }, MERGE);
    const versionOf = (object: Readonly<Record<string, unknown>>) =>
      (object['metadata'] as { resourceVersion: string }).resourceVersion;
    expect(versionOf(body)).toBe(versionOf(dying));
  });
});

it('a bound pod has no nominated node', async () => {
  await plane.ask('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  await plane.ask('POST', `${NAMESPACE}/pods`, { metadata: { name: 'bound' }, spec: template.spec });
  await plane.ask('PATCH', `${NAMESPACE}/pods/bound/status`, { status: { nominatedNodeName: 'n' } }, MERGE);
  await plane.ask('POST', `${NAMESPACE}/pods/bound/binding`, { metadata: { name: 'bound' }, target: { name: 'm' } });
  expect((await plane.ask('GET', `${NAMESPACE}/pods/bound`)).body['status']).not.toHaveProperty('nominatedNodeName');
});

describe('content negotiation', () => {
  const accepting = async (accept: string, path: string) => {
    const headers = { accept, authorization: `Bearer ${plane.plane.adminToken}` };
    return (await (await fetch(`${plane.plane.url}${path}`, { headers })).json()) as { message: string };
  };

  it('checks the accepted types of a built-in resource before anything else', async () => {
    const all = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    const rejected = '406: Not Acceptable\n\nAvailable representations: ';
    expect(await accepting('text/plain', `${NAMESPACE}/pods`)).toMatchObject({
      message: `${rejected}${all}, ${streams}`,
    });
    expect(await accepting('text/plain', `${NAMESPACE}/pods/x`)).toMatchObject({ message: `${rejected}${all}` });
  });

  it('checks the type of a patch before it is read', async () => {
    const { code } = await plane.ask('PATCH', `${NAMESPACE}/configmaps/named`, undefined, 'application/json');
    expect(code).toBe(415);
  });
});

describe('discovery', () => {
  it('contains storage version hashes', async () => {
    const { body } = await plane.ask('GET', '/api/v1');
    const resources = body['resources'] as { name: string; storageVersionHash?: string }[];
    const hashOf = (name: string) => resources.find((each) => each.name === name)?.storageVersionHash;
    expect(['configmaps', 'pods', 'bindings', 'pods/status'].map(hashOf)).toEqual([
      'qFsyl6wFWjQ=',
      'xPOwRZ+Yhw8=',
      undefined,
      undefined,
    ]);
  });

  it('responds with 404 for an unknown version, whatever the method', async () => {
    expect((await plane.ask('POST', '/apis/apps/v2')).code).toBe(404);
    expect((await plane.ask('POST', '/apis/apps/v1')).code).toBe(405);
  });
});

it('a review has managedFields, as every object', async () => {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const { body } = await plane.ask('POST', path, { spec: { user: 'u', resourceAttributes: { verb: 'get' } } });
  const fieldsV1 = { 'f:spec': { 'f:resourceAttributes': { '.': {}, 'f:verb': {} }, 'f:user': {} } };
  expect(body['metadata']).toMatchObject({ managedFields: [{ operation: 'Update', fieldsV1 }] });
});

it('podIPs that follow from podIP belong to the same manager', async () => {
  await plane.ask('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  await plane.ask('POST', `${NAMESPACE}/pods`, { metadata: { name: 'p' }, spec: template.spec });
  const { body } = await plane.ask('PATCH', `${NAMESPACE}/pods/p/status`, { status: { podIP: '10.0.0.1' } }, MERGE);
  expect(JSON.stringify(body['metadata'])).toContain('"f:podIPs":{".":{},"k:{\\"ip\\":\\"10.0.0.1\\"}"');
});

describe('a custom object', () => {
  const spec = (properties: object) => ({ type: 'object', properties });
  const schema = (properties: object) => ({
    openAPIV3Schema: spec({ spec: spec(properties), status: spec({ n: { type: 'integer' } }) }),
  });
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.n' } };
  const size = { type: 'integer', minimum: 1 };
  const path = `/apis/${GROUP}/v1/namespaces/default/likenesses`;
  const named = (name: string, rest: object = {}) => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Likeness',
    metadata: { name },
    ...rest,
  });

  beforeAll(async () => {
    const definition = definitionOf('likenesses', 'Likeness');
    const stored = schema({ size, mode: { type: 'string', default: 'Slow' } });
    const versions = [
      { name: 'v1', served: true, storage: true, schema: stored, subresources },
      { name: 'v2', served: true, storage: false, schema: schema({ size, more: { type: 'string' } }) },
    ];
    await plane.define({ ...definition, spec: { ...definition.spec, versions } } as never);
  });

  it('that is written in another version has the fields and defaults of the stored one', async () => {
    const body = { ...named('other', { spec: { size: 2, more: 'x' } }), apiVersion: `${GROUP}/v2` };
    const created = await plane.ask('POST', path.replace('/v1/', '/v2/'), body);
    expect(created.body['spec']).toEqual({ size: 2, mode: 'Slow' });
    expect((await plane.ask('GET', `${path}/other`)).body['spec']).toEqual({ size: 2, mode: 'Slow' });
  });

  it('gets the defaults of fields that its scale creates, which must fit the schema', async () => {
    await plane.ask('POST', path, named('scaled'));
    const rejected = await plane.ask('PATCH', `${path}/scaled/scale`, { spec: { replicas: -1 } }, MERGE);
    expect(messageOf(rejected)).toBe(
      `Likeness.${GROUP} "scaled" is invalid: [spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 1, .spec.size: Invalid value: -1: should be a non-negative integer]`,
    );
    await plane.ask('PATCH', `${path}/scaled/scale`, { spec: { replicas: 7 } }, MERGE);
    expect((await plane.ask('GET', `${path}/scaled`)).body['spec']).toEqual({ size: 7, mode: 'Slow' });
  });

  it('is rejected with the path of the invalid field in its status', async () => {
    await plane.ask('POST', path, named('status'));
    const { body } = await plane.ask('PATCH', `${path}/status/status`, { status: { n: 'x' } }, MERGE);
    const { causes } = body['details'] as { causes: { field: string; message: string }[] };
    expect(causes[0]).toMatchObject({
      field: 'status.n',
      message: expect.stringContaining(': n in body must be of type'),
    });
  });

  it('without metadata is rejected only because of its name', async () => {
    const { metadata: _none, ...nameless } = named('');
    const { code, body } = await plane.ask('POST', path, nameless);
    expect([code, messageOf({ body })]).toEqual([422, expect.stringContaining('metadata.name: Required value')]);
  });

  it('may have finalizers without a domain, with a warning', async () => {
    const { warning } = await plane.ask('POST', path, named('f', { metadata: { name: 'f', finalizers: ['bad'] } }));
    expect(warning).toContain('prefer a domain-qualified finalizer name');
  });
});
