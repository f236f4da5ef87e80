import { describe, expect, test } from 'vitest';
import { ADMISSION_GROUP as GROUP } from '../matching.ts';
import { hookWorld, CONFIG_MAPS as RULE } from './hook-server.fixture.ts';

const world = hookWorld();
const { configure, create } = world;

describe('which requests a webhook hears of', () => {
  const heard = async (hook: object, act: () => Promise<unknown> = create): Promise<boolean> => {
    await configure('validating', [hook]);
    await act();
    return world.server.seen.length > 0;
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
    await world.cluster.patch('namespaces/x', { metadata: { labels: { team: 'a' } } });
    expect(await heard(hook)).toBe(expected);
  });

  test('its own configuration is none of them', async () => {
    const everything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] };
    world.server.reply = () => ({ allowed: false });
    await configure('validating', [{ rules: [everything] }], 'v');
    await configure('mutating', [{ rules: [everything] }], 'm');
    await world.cluster.delete(`validatingwebhookconfigurations.${GROUP}/v`);
    await world.cluster.delete(`mutatingwebhookconfigurations.${GROUP}/m`);
    expect(world.server.seen).toHaveLength(0);
    await expect(create()).resolves.toBeDefined();
  });

  test('conditions that cannot be evaluated refuse, unless failures are ignored', async () => {
    const broken = { matchConditions: [{ name: 'a', expression: 'object.spec.foo == 1' }] };
    await configure('validating', [broken]);
    expect((await world.cluster.refused(create())).message).toBe(
      'configmaps "c" is forbidden: expression \'object.spec.foo == 1\' resulted in error: no such key: spec',
    );
    await world.cluster.delete(`validatingwebhookconfigurations.${GROUP}/w`);
    await configure('validating', [{ ...broken, failurePolicy: 'Ignore' }]);
    await expect(create()).resolves.toBeDefined();
    expect(world.server.seen).toHaveLength(0);
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
    const served = [...world.cluster.backend.registry.all()].find(
      ({ plural }) => plural === 'horizontalpodautoscalers',
    );
    const asked = served?.version === 'v1' ? 'v2' : 'v1';
    await configure('validating', [{ rules: [{ ...rule, apiVersions: [asked] }] }], 'equivalent');
    await configure('validating', [{ rules: [{ ...rule, apiVersions: [asked] }], matchPolicy: 'Exact' }], 'exact');
    await world.cluster.create(`${V1}/x`, scaler);
    expect(world.server.seen).toHaveLength(1);
    expect(world.server.seen[0]?.review.request).toMatchObject({
      resource: { version: asked },
      requestResource: { version: served?.version },
      object: { apiVersion: `autoscaling/${asked}` },
    });
  });

  test('one with side effects hears of no dry run', async () => {
    const clientConfig = { url: `https://localhost:${world.server.port}/`, caBundle: world.server.caBundle };
    await world.cluster.plant(`validatingwebhookconfigurations.${GROUP}/w`, {
      webhooks: [{ name: 'h0.example.com', clientConfig, rules: [RULE], sideEffects: 'Some' }],
    });
    const { code, message } = await world.cluster.refused(create({}, { dryRun: true }));
    expect([code, message]).toEqual([400, 'admission webhook "h0.example.com" does not support dry run']);
    await expect(create()).resolves.toBeDefined();
  });
});
