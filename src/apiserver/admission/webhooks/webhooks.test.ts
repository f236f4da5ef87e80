import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pod } from '../../kinds/pod/pod-spec.ts';
import { type Cluster, podOf, testCluster } from '../chain.fixture.ts';
import { type HookServer, hookServer, patch } from './hook-server.fixture.ts';

let server: HookServer;
let cluster: Cluster;

beforeEach(async () => {
  server = await hookServer();
  cluster = await testCluster();
});
afterEach(() => server.close());

const RULE = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };
const GROUP = 'admissionregistration.k8s.io';

async function configure(
  kind: 'validating' | 'mutating',
  hooks: object[],
  name = 'w',
  by: HookServer = server,
): Promise<void> {
  const webhooks = hooks.map((hook, i) => ({
    name: `h${i}.example.com`,
    clientConfig: { url: `https://localhost:${by.port}/h${i}`, caBundle: by.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 2,
    rules: [RULE],
    ...hook,
  }));
  await cluster.create(`${kind}webhookconfigurations.${GROUP}`, { metadata: { name }, webhooks });
}

const create = (metadata: object = {}, how = {}) =>
  cluster.create('configmaps/x', { metadata: { name: 'c', ...metadata } }, how);

describe('a webhook is told', () => {
  test('who does what to which object', async () => {
    await configure('validating', [{}]);
    await create({}, { dryRun: true });
    const [{ path, review }] = server.seen as [(typeof server.seen)[0]];
    expect(path).toBe('/h0?timeout=2s');
    expect(review).toMatchObject({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' });
    expect(review.request).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'c',
      namespace: 'x',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1' }),
      oldObject: null,
      dryRun: true,
      options: expect.objectContaining({ kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] }),
    });
  });

  test('the old object of an update and a deletion', async () => {
    await create();
    await configure('validating', [{}]);
    await cluster.patch('configmaps/x/c', { data: { a: 'b' } });
    await cluster.delete('configmaps/x/c');
    const [update, deletion] = server.seen.map(({ review }) => review.request);
    expect(update).toMatchObject({ operation: 'UPDATE', oldObject: { metadata: { name: 'c' } } });
    expect(update?.object?.['data']).toEqual({ a: 'b' });
    expect(deletion).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { a: 'b' } } });
  });

  test('no name that is still to be generated, but the object has it once it is settled', async () => {
    await configure('mutating', [{}], 'm');
    await configure('validating', [{}], 'v');
    await create({ name: '', generateName: 'c-' });
    const [early, late] = server.seen.map(({ review }) => review.request);
    expect(early).not.toHaveProperty('name');
    expect(early?.object?.metadata).not.toHaveProperty('name');
    expect(late).not.toHaveProperty('name');
    expect(late?.object?.metadata.name).toMatch(/^c-/);
  });
});

describe('a webhook that says no', () => {
  const refused = async (response: object) => {
    server.reply = () => ({ allowed: false, ...response });
    await configure('validating', [{ failurePolicy: 'Ignore' }]);
    return await cluster.refused(create());
  };

  test('without a reason', async () => {
    const { code, message, reason } = await refused({});
    expect([code, reason, message]).toEqual([
      400,
      undefined,
      'admission webhook "h0.example.com" denied the request without explanation',
    ]);
  });

  test('for a reason', async () => {
    const { code, message, reason } = await refused({ status: { reason: 'Teapot', code: 200 } });
    expect([code, reason, message]).toEqual([
      400,
      'Teapot',
      'admission webhook "h0.example.com" denied the request: Teapot',
    ]);
  });

  test('with a Status of its own', async () => {
    const details = { causes: [{ reason: 'r', message: 'm', field: 'f' }] };
    const status = { message: 'because', code: 418, reason: 'Teapot', details };
    expect(await refused({ status })).toMatchObject({
      ...status,
      message: 'admission webhook "h0.example.com" denied the request: because',
    });
  });

  test('leaves nothing behind, on every verb', async () => {
    await create();
    await refused({});
    await cluster.refused(cluster.patch('configmaps/x/c', { data: { a: 'b' } }));
    await cluster.refused(cluster.delete('configmaps/x/c'));
    expect(cluster.get('configmaps/x/c')).not.toHaveProperty('data');
  });
});

const INTERNAL = 'Internal error occurred: failed calling webhook "h0.example.com": ';
const INVALID = `${INTERNAL}received invalid webhook response: `;
const FAILED = `${INTERNAL}failed to call webhook: `;
const raw = (body: unknown, status = 200) => ({
  raw: typeof body === 'string' ? body : JSON.stringify(body),
  status,
});

describe('a webhook that fails', () => {
  test.each<[message: string | RegExp, reply: HookServer['reply']]>([
    [/^Internal.*received invalid webhook response: expected response.uid=".{36}", got "x"$/, () => ({ uid: 'x' })],
    [`${INVALID}webhook response was absent`, ({ apiVersion, kind }) => raw({ apiVersion, kind })],
    [
      `${FAILED}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
      () => raw({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', response: { allowed: true } }),
    ],
    [`${FAILED}an error on the server ("oh no") has prevented the request from succeeding`, () => raw('oh no', 500)],
    [`${FAILED}the server could not find the requested resource`, () => raw('nothing\n', 404)],
    [`${FAILED}status msg`, () => raw({ kind: 'Status', message: 'status msg' }, 500)],
    [/failed to call webhook: couldn't get version\/kind; json parse error/, () => raw('hello')],
  ])('is told as %s', async (message, reply) => {
    server.reply = reply;
    await configure('validating', [{}]);
    const status = await cluster.refused(create());
    expect(status).toMatchObject({ code: 500, reason: 'InternalError' });
    if (typeof message === 'string') expect(status.message).toBe(message);
    else expect(status.message).toMatch(message);
  });

  test('by not answering in time', async () => {
    server.reply = () => 'hang';
    await configure('validating', [{ timeoutSeconds: 1 }]);
    expect((await cluster.refused(create())).message).toBe(
      `${FAILED}Post "https://localhost:${server.port}/h0?timeout=1s": context deadline exceeded`,
    );
  });

  test('because nobody listens', async () => {
    server.close();
    await configure('validating', [{}]);
    expect((await cluster.refused(create())).message).toMatch(
      /: Post "https:\/\/localhost:\d+\/h0\?timeout=2s": dial tcp .*:\d+: connect: connection refused$/,
    );
  });

  test('because its certificate is for somebody else, or by nobody known', async () => {
    const other = await hookServer(['other.example']);
    await configure('validating', [{}], 'w', other);
    expect((await cluster.refused(create())).message).toMatch(
      /: tls: failed to verify certificate: x509: certificate is valid for other.example, not localhost$/,
    );
    await cluster.delete(`validatingwebhookconfigurations.${GROUP}/w`);
    await configure('validating', [
      { clientConfig: { url: `https://localhost:${server.port}/`, caBundle: other.caBundle } },
    ]);
    expect((await cluster.refused(create())).message).toMatch(
      /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
    );
    other.close();
  });

  test('is as good as one that says yes where its policy is to ignore failures', async () => {
    server.reply = () => raw('oh no', 500);
    await configure('validating', [{ failurePolicy: 'Ignore' }], 'v');
    await configure('mutating', [{ failurePolicy: 'Ignore' }], 'm');
    await expect(create()).resolves.toBeDefined();
    expect(server.seen).toHaveLength(2);
  });
});

describe('a service', () => {
  const service = (port?: number) => ({
    clientConfig: {
      service: { namespace: 'x', name: 'hook', path: '/h0', ...(port === undefined ? {} : { port }) },
      caBundle: server.caBundle,
    },
  });

  test('is found by its endpoints and known by its own name', async () => {
    await cluster.create('services/x', { metadata: { name: 'hook' }, spec: { ports: [{ port: 443 }] } });
    await cluster.plant('endpoints/x/hook', {
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: server.port }] }],
    });
    await configure('validating', [service()]);
    await create();
    expect(server.seen[0]?.path).toBe('/h0?timeout=2s');
  });

  test('is found where it is said to be', async () => {
    const resolveService = () => `127.0.0.1:${server.port}`;
    cluster = await testCluster({ resolveService });
    await configure('validating', [service()]);
    await create();
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    [undefined, 'service "hook" not found', 443],
    [444, 'no service port 444 found for service "hook"', 444],
  ])('that cannot be found is told (port %s)', async (port, problem, shown) => {
    if (port !== undefined) {
      await cluster.create('services/x', { metadata: { name: 'hook' }, spec: { ports: [{ port: 443 }] } });
    }
    await configure('validating', [service(port)]);
    expect((await cluster.refused(create())).message).toBe(
      `${FAILED}Post "https://hook.x.svc:${shown}/h0?timeout=2s": ${problem}`,
    );
  });
});

describe('which requests a webhook hears of', () => {
  const heard = async (hook: object, act: () => Promise<unknown> = create): Promise<boolean> => {
    await configure('validating', [hook]);
    await act();
    return server.seen.length > 0;
  };
  const rules = (rule: object) => ({ rules: [{ ...RULE, ...rule }] });

  test.each<[heard: boolean, hook: object]>([
    [true, rules({ resources: ['*'] })],
    [true, rules({ resources: ['*/*'] })],
    [true, rules({ resources: ['configmaps/*'] })],
    [false, rules({ resources: ['configmaps/status'] })],
    [false, rules({ resources: ['secrets'] })],
    [true, rules({ apiGroups: ['*'], apiVersions: ['*'] })],
    [false, rules({ apiGroups: ['apps'] })],
    [false, rules({ apiVersions: ['v2'] })],
    [false, rules({ operations: ['UPDATE', 'DELETE'] })],
    [true, rules({ scope: 'Namespaced' })],
    [false, rules({ scope: 'Cluster' })],
    [true, { namespaceSelector: { matchLabels: { team: 'a' } } }],
    [false, { namespaceSelector: { matchLabels: { team: 'b' } } }],
    [true, { objectSelector: { matchExpressions: [{ key: 'z', operator: 'DoesNotExist' }] } }],
    [false, { objectSelector: { matchLabels: { z: '1' } } }],
    [true, { matchConditions: [{ name: 'a', expression: 'object.metadata.name == "c"' }] }],
    [false, { matchConditions: [{ name: 'a', expression: 'request.userInfo.username == "other"' }] }],
    [true, { matchConditions: [{ name: 'a', expression: 'oldObject == null && request.operation == "CREATE"' }] }],
    [
      true,
      {
        matchConditions: [
          { name: 'a', expression: 'authorizer.requestResource.check("create").allowed()' },
          {
            name: 'b',
            expression: '!authorizer.serviceAccount("x", "default").group("").resource("pods").check("get").allowed()',
          },
        ],
      },
    ],
  ])('%s: %j', async (expected, hook) => {
    await cluster.patch('namespaces/x', { metadata: { labels: { team: 'a' } } });
    expect(await heard(hook)).toBe(expected);
  });

  test('its own configuration is none of them', async () => {
    const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] };
    server.reply = () => ({ allowed: false });
    await configure('validating', [{ rules: [everything] }], 'v');
    await configure('mutating', [{ rules: [everything] }], 'm');
    await cluster.delete(`validatingwebhookconfigurations.${GROUP}/v`);
    await cluster.delete(`mutatingwebhookconfigurations.${GROUP}/m`);
    expect(server.seen).toHaveLength(0);
    await expect(create()).resolves.toBeDefined();
  });

  test('conditions that cannot be evaluated refuse, unless failures are ignored', async () => {
    const broken = { matchConditions: [{ name: 'a', expression: 'object.spec.foo == 1' }] };
    await configure('validating', [broken]);
    expect((await cluster.refused(create())).message).toBe(
      'configmaps "c" is forbidden: expression \'object.spec.foo == 1\' resulted in error: no such key: spec',
    );
    await cluster.delete(`validatingwebhookconfigurations.${GROUP}/w`);
    await configure('validating', [{ ...broken, failurePolicy: 'Ignore' }]);
    await expect(create()).resolves.toBeDefined();
    expect(server.seen).toHaveLength(0);
  });

  test('another version of the resource is one too, unless the match must be exact', async () => {
    const V1 = 'horizontalpodautoscalers.autoscaling';
    const rule = {
      apiGroups: ['autoscaling'],
      apiVersions: ['v2'],
      resources: ['horizontalpodautoscalers'],
      operations: ['*'],
    };
    const scaler = {
      metadata: { name: 's' },
      spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    };
    const served = [...cluster.backend.registry.all()].find(({ plural }) => plural === 'horizontalpodautoscalers');
    const asked = served?.version === 'v1' ? 'v2' : 'v1';
    await configure('validating', [{ rules: [{ ...rule, apiVersions: [asked] }] }], 'equivalent');
    await configure('validating', [{ rules: [{ ...rule, apiVersions: [asked] }], matchPolicy: 'Exact' }], 'exact');
    await cluster.create(`${V1}/x`, scaler);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.review.request).toMatchObject({
      resource: { version: asked },
      requestResource: { version: served?.version },
      object: { apiVersion: `autoscaling/${asked}` },
    });
  });

  test('one with side effects hears of no dry run', async () => {
    const clientConfig = { url: `https://localhost:${server.port}/`, caBundle: server.caBundle };
    await cluster.plant(`validatingwebhookconfigurations.${GROUP}/w`, {
      webhooks: [{ name: 'h0.example.com', clientConfig, rules: [RULE], sideEffects: 'Some' }],
    });
    const { code, message } = await cluster.refused(create({}, { dryRun: true }));
    expect([code, message]).toEqual([400, 'admission webhook "h0.example.com" does not support dry run']);
    await expect(create()).resolves.toBeDefined();
  });
});

test('warnings reach the writer', async () => {
  server.reply = () => ({ warnings: ['careful'], auditAnnotations: { a: 'b' } });
  await configure('validating', [{}]);
  await create();
  expect(cluster.warnings).toEqual(['careful']);
});

describe('a mutating webhook', () => {
  test('changes the object, after which its defaults are filled in and unknown fields gone', async () => {
    server.reply = () =>
      patch({ op: 'add', path: '/data', value: { hooked: 'yes' } }, { op: 'add', path: '/foo', value: 1 });
    await configure('mutating', [{}]);
    const made = await create();
    expect(made['data']).toEqual({ hooked: 'yes' });
    expect(made).not.toHaveProperty('foo');
    expect(cluster.get('configmaps/x/c')).toEqual(made);
  });

  test.each<[message: string, response: object]>([
    [
      'Internal error occurred: add operation does not apply: doc is missing path: "/metadata/labels/x": missing value',
      patch({ op: 'add', path: '/metadata/labels/x', value: 'y' }),
    ],
    [
      "Internal error occurred: error in remove for path: '/nothere': Unable to remove nonexistent key: nothere: missing value",
      patch({ op: 'remove', path: '/nothere' }),
    ],
    [
      'Internal error occurred: testing value /metadata/name failed: test failed',
      patch({ op: 'test', path: '/metadata/name', value: 'zz' }),
    ],
    [
      'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
      patch({ op: 'add', path: '/data', value: 1 }),
    ],
    [
      `${INTERNAL}received undecodable patch in webhook response: invalid character 'z' looking for beginning of value`,
      { patchType: 'JSONPatch', patch: Buffer.from('zzz').toString('base64') },
    ],
    [
      `${INVALID}webhook returned response.patch but not response.patchType`,
      { ...patch({ op: 'remove', path: '/data' }), patchType: undefined },
    ],
    [`${INVALID}webhook returned response.patchType but not response.patch`, { patchType: 'JSONPatch' }],
  ])('cannot patch: %s', async (message, response) => {
    server.reply = () => response;
    await configure('mutating', [{}]);
    expect((await cluster.refused(create())).message).toBe(message);
  });

  test('comes in the order of configurations and of webhooks in them', async () => {
    server.reply = ({ request }, id) => {
      const { said = '' } = (request.object?.['data'] ?? {}) as { readonly said?: string };
      return patch({ op: 'add', path: '/data', value: { said: `${said}${id} ` } });
    };
    const at = (id: string) => ({
      clientConfig: { url: `https://localhost:${server.port}/${id}`, caBundle: server.caBundle },
    });
    await configure('mutating', [at('b1'), at('b2')], 'b');
    await configure('mutating', [at('a1')], 'a');
    expect((await create())['data']).toEqual({ said: 'a1 b1 b2 ' });
  });

  test('is asked again where it wants to and somebody changed the object after it', async () => {
    server.reply = ({ request }, id) => {
      const data = (request.object?.['data'] ?? {}) as Readonly<Record<string, string>>;
      const times = String(Number(data[id] ?? 0) + 1);
      return id === 'h2' ? {} : patch({ op: 'add', path: '/data', value: { ...data, [id]: times } });
    };
    const again = { reinvocationPolicy: 'IfNeeded' };
    await configure('mutating', [again, { reinvocationPolicy: 'Never' }, again]);
    expect((await create())['data']).toEqual({ h0: '2', h1: '1' });
    expect(server.seen.map(({ path }) => path.slice(1, 3))).toEqual(['h0', 'h1', 'h2', 'h0', 'h2']);
  });

  test('that adds a container leaves it with what every container gets', async () => {
    server.reply = ({ request }) =>
      (request.object as Pod).spec.containers?.length === 1
        ? patch({ op: 'add', path: '/spec/containers/-', value: { name: 'mesh', image: 'm' } })
        : {};
    await configure('mutating', [{ rules: [{ ...RULE, resources: ['pods'] }] }]);
    const pod = (await cluster.create('pods/x', podOf())) as Pod;
    expect(pod.spec.containers?.[1]?.volumeMounts).toHaveLength(1);
    expect(pod.spec.volumes).toHaveLength(1);
  });

  test('may refuse a deletion', async () => {
    await create();
    server.reply = () => ({ allowed: false, status: { message: 'keep it' } });
    await configure('mutating', [{}]);
    const { message } = await cluster.refused(cluster.delete('configmaps/x/c'));
    expect(message).toBe('admission webhook "h0.example.com" denied the request: keep it');
  });
});

test('validating webhooks see what mutating ones made, and may not patch themselves', async () => {
  server.reply = (_review, id) => (id === 'h0' ? patch({ op: 'add', path: '/data', value: { a: 'b' } }) : {});
  await configure('mutating', [{}], 'm');
  await configure(
    'validating',
    [{ clientConfig: { url: `https://localhost:${server.port}/v`, caBundle: server.caBundle } }],
    'v',
  );
  await create();
  expect(server.seen.at(-1)?.review.request.object?.['data']).toEqual({ a: 'b' });
  server.reply = () => patch({ op: 'add', path: '/data', value: {} });
  expect((await cluster.refused(create({ name: 'd' }))).message).toContain(
    'validating webhook may not return response.patch',
  );
});
