import { describe, expect, test } from 'vitest';
import { ADMISSION_GROUP as GROUP } from '../matching.ts';
import { CALL_FAILED, type HookServer, hookServer, hookWorld, INVALID_ANSWER } from './hook-server.fixture.ts';

const harness = hookWorld();
const { configure, create } = harness;

const FAILED = `${CALL_FAILED}failed to call webhook: `;
const raw = (body: unknown, status = 200) => ({
  raw: typeof body === 'string' ? body : JSON.stringify(body),
  status,
});

describe('a review contains', () => {
  test('the user, the operation and the object', async () => {
    await configure('validating', [{}]);
    await create({}, { dryRun: true });
    const [{ path, review }] = harness.server.seen as [(typeof harness.server.seen)[0]];
    expect(path).toBe('/h0?timeout=30s');
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
    await harness.cluster.patch('configmaps/x/c', { data: { a: 'b' } });
    await harness.cluster.delete('configmaps/x/c');
    const [update, deletion] = harness.server.seen.map(({ review }) => review.request);
    expect(update).toMatchObject({ operation: 'UPDATE', oldObject: { metadata: { name: 'c' } } });
    expect(update?.object?.['data']).toEqual({ a: 'b' });
    expect(deletion).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { a: 'b' } } });
  });

  test('no name before it is generated, and the generated name afterwards', async () => {
    await configure('mutating', [{}], 'm');
    await configure('validating', [{}], 'v');
    await create({ name: '', generateName: 'c-' });
    const [early, late] = harness.server.seen.map(({ review }) => review.request);
    expect(early).not.toHaveProperty('name');
    expect(early?.object?.metadata).not.toHaveProperty('name');
    expect(late?.name).toMatch(/^c-/);
    expect(late?.object?.metadata.name).toBe(late?.name);
  });
});

describe('a webhook that denies a request', () => {
  const rejected = async (response: object) => {
    harness.server.reply = () => ({ allowed: false, ...response });
    await configure('validating', [{ failurePolicy: 'Ignore' }]);
    return await harness.cluster.refused(create());
  };

  test('is reported without an explanation if it gives none', async () => {
    const { code, message, reason } = await rejected({});
    expect([code, reason, message]).toEqual([
      400,
      undefined,
      'admission webhook "h0.example.com" denied the request without explanation',
    ]);
  });

  test('is reported with its reason', async () => {
    const { code, message, reason } = await rejected({ status: { reason: 'Teapot', code: 200 } });
    expect([code, reason, message]).toEqual([
      400,
      'Teapot',
      'admission webhook "h0.example.com" denied the request: Teapot',
    ]);
  });

  test('is reported with its Status', async () => {
    const details = { causes: [{ reason: 'r', message: 'm', field: 'f' }] };
    const status = { message: 'because', code: 418, reason: 'Teapot', details };
    expect(await rejected({ status })).toMatchObject({
      ...status,
      message: 'admission webhook "h0.example.com" denied the request: because',
    });
  });

  test('leaves the object unchanged, on every verb', async () => {
    await create();
    await rejected({});
    await harness.cluster.refused(harness.cluster.patch('configmaps/x/c', { data: { a: 'b' } }));
    await harness.cluster.refused(harness.cluster.delete('configmaps/x/c'));
    expect(harness.cluster.get('configmaps/x/c')).not.toHaveProperty('data');
  });
});

describe('a webhook that fails', () => {
  test.each<[message: string | RegExp, reply: HookServer['reply']]>([
    [/^Internal.*received invalid webhook response: expected response.uid=".{36}", got "x"$/, () => ({ uid: 'x' })],
    [`${INVALID_ANSWER}webhook response was absent`, ({ apiVersion, kind }) => raw({ apiVersion, kind })],
    [
      `${FAILED}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
      () => raw({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', response: { allowed: true } }),
    ],
    [`${FAILED}an error on the server ("oh no") has prevented the request from succeeding`, () => raw('oh no', 500)],
    [`${FAILED}the server could not find the requested resource`, () => raw('nothing\n', 404)],
    [`${FAILED}status msg`, () => raw({ kind: 'Status', message: 'status msg' }, 500)],
    [/failed to call webhook: couldn't get version\/kind; json parse error/, () => raw('hello')],
  ])('is reported as %s', async (message, reply) => {
    harness.server.reply = reply;
    await configure('validating', [{}]);
    const status = await harness.cluster.refused(create());
    expect(status).toMatchObject({ code: 500, reason: 'InternalError' });
    if (typeof message === 'string') expect(status.message).toBe(message);
    else expect(status.message).toMatch(message);
  });

  test('is reported if it times out', async () => {
    harness.server.reply = () => 'hang';
    await configure('validating', [{ timeoutSeconds: 1 }]);
    expect((await harness.cluster.refused(create())).message).toBe(
      `${FAILED}Post "https://localhost:${harness.server.port}/h0?timeout=1s": context deadline exceeded`,
    );
  });

  test('is reported if nothing listens', async () => {
    // A port that was free a moment ago may belong to another test by now, but no test listens on this one.
    await configure('validating', [
      { clientConfig: { url: 'https://localhost:1/h0', caBundle: harness.server.caBundle } },
    ]);
    expect((await harness.cluster.refused(create())).message).toMatch(
      /: Post "https:\/\/localhost:1\/h0\?timeout=30s": dial tcp .*:1: connect: connection refused$/,
    );
  });

  test('is reported if its certificate has another name or an unknown authority', async () => {
    const other = await hookServer(['other.example']);
    await configure('validating', [{}], 'w', other);
    expect((await harness.cluster.refused(create())).message).toMatch(
      /: tls: failed to verify certificate: x509: certificate is valid for other.example, not localhost$/,
    );
    await harness.cluster.delete(`validatingwebhookconfigurations.${GROUP}/w`);
    await configure('validating', [
      { clientConfig: { url: `https://localhost:${harness.server.port}/`, caBundle: other.caBundle } },
    ]);
    expect((await harness.cluster.refused(create())).message).toMatch(
      /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
    );
    other.close();
  });

  test('is ignored if its failure policy is Ignore', async () => {
    harness.server.reply = () => raw('oh no', 500);
    await configure('validating', [{ failurePolicy: 'Ignore' }], 'v');
    await configure('mutating', [{ failurePolicy: 'Ignore' }], 'm');
    await expect(create()).resolves.toBeDefined();
    expect(harness.server.seen).toHaveLength(2);
  });
});

describe('the service of a webhook', () => {
  const service = (port?: number) => ({
    clientConfig: {
      service: { namespace: 'x', name: 'hook', path: '/h0', ...(port === undefined ? {} : { port }) },
      caBundle: harness.server.caBundle,
    },
  });

  test('is resolved by its endpoints, and verified by its own name', async () => {
    await harness.cluster.create('services/x', { metadata: { name: 'hook' }, spec: { ports: [{ port: 443 }] } });
    await harness.cluster.plant('endpoints/x/hook', {
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: harness.server.port }] }],
    });
    await configure('validating', [service()]);
    await create();
    expect(harness.server.seen[0]?.path).toBe('/h0?timeout=30s');
  });

  test('is resolved by the configured resolver', async () => {
    const resolveService = () => `127.0.0.1:${harness.server.port}`;
    await harness.restart({ resolveService });
    await configure('validating', [service()]);
    await create();
    expect(harness.server.seen).toHaveLength(1);
  });

  test.each([
    [undefined, 'service "hook" not found', 443],
    [444, 'no service port 444 found for service "hook"', 444],
  ])('that does not exist is reported (port %s)', async (port, problem, shown) => {
    if (port !== undefined) {
      await harness.cluster.create('services/x', { metadata: { name: 'hook' }, spec: { ports: [{ port: 443 }] } });
    }
    await configure('validating', [service(port)]);
    expect((await harness.cluster.refused(create())).message).toBe(
      `${FAILED}Post "https://hook.x.svc:${shown}/h0?timeout=30s": ${problem}`,
    );
  });
});

test('warnings are sent to the client', async () => {
  harness.server.reply = () => ({ warnings: ['careful'], auditAnnotations: { a: 'b' } });
  await configure('validating', [{}]);
  await create();
  expect(harness.cluster.warnings).toEqual(['careful']);
});
