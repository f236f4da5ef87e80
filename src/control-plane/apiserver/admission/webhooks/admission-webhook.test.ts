import { describe, expect, test } from 'vitest';
import { ADMISSION_GROUP as GROUP } from '../matching.ts';
import { hookWorld, CONFIG_MAPS as RULE } from './hook-server.fixture.ts';

const harness = hookWorld();
const { configure, create } = harness;

describe('whether a webhook is called', () => {
  const heard = async (hook: object, act: () => Promise<unknown> = create): Promise<boolean> => {
    await configure('validating', [hook]);
    await act();
    return harness.server.seen.length > 0;
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
    await harness.cluster.patch('namespaces/x', { metadata: { labels: { team: 'a' } } });
    expect(await heard(hook)).toBe(expected);
  });

  test('is always false for webhook configurations', async () => {
    const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] };
    harness.server.reply = () => ({ allowed: false });
    await configure('validating', [{ rules: [everything] }], 'v');
    await configure('mutating', [{ rules: [everything] }], 'm');
    await harness.cluster.delete(`validatingwebhookconfigurations.${GROUP}/v`);
    await harness.cluster.delete(`mutatingwebhookconfigurations.${GROUP}/m`);
    expect(harness.server.seen).toHaveLength(0);
    await expect(create()).resolves.toBeDefined();
  });

  test('fails the request if a match condition cannot be evaluated, unless failures are ignored', async () => {
    const broken = { matchConditions: [{ name: 'a', expression: 'object.spec.foo == 1' }] };
    await configure('validating', [broken]);
    expect((await harness.cluster.refused(create())).message).toBe(
      'configmaps "c" is forbidden: expression \'object.spec.foo == 1\' resulted in error: no such key: spec',
    );
    await harness.cluster.delete(`validatingwebhookconfigurations.${GROUP}/w`);
    await configure('validating', [{ ...broken, failurePolicy: 'Ignore' }]);
    await expect(create()).resolves.toBeDefined();
    expect(harness.server.seen).toHaveLength(0);
  });

  test('includes equivalent versions of the resource, unless the match policy is Exact', async () => {
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
    const served = [...harness.cluster.backend.registry.all()].find(
      ({ plural }) => plural === 'horizontalpodautoscalers',
    );
    const requested = served?.version === 'v1' ? 'v2' : 'v1';
    await configure('validating', [{ rules: [{ ...rule, apiVersions: [requested] }] }], 'equivalent');
    await configure('validating', [{ rules: [{ ...rule, apiVersions: [requested] }], matchPolicy: 'Exact' }], 'exact');
    await harness.cluster.create(`${V1}/x`, scaler);
    expect(harness.server.seen).toHaveLength(1);
    expect(harness.server.seen[0]?.review.request).toMatchObject({
      resource: { version: requested },
      requestResource: { version: served?.version },
      object: { apiVersion: `autoscaling/${requested}` },
    });
  });

  test('is false on a dry run if the webhook has side effects', async () => {
    const clientConfig = { url: `https://localhost:${harness.server.port}/`, caBundle: harness.server.caBundle };
    await harness.cluster.plant(`validatingwebhookconfigurations.${GROUP}/w`, {
      webhooks: [{ name: 'h0.example.com', clientConfig, rules: [RULE], sideEffects: 'Some' }],
    });
    const { code, message } = await harness.cluster.refused(create({}, { dryRun: true }));
    expect([code, message]).toEqual([400, 'admission webhook "h0.example.com" does not support dry run']);
    await expect(create()).resolves.toBeDefined();
  });
});
