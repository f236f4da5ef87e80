import { describe, expect, test } from 'vitest';
import type { Pod } from '../kinds/pod/pod-spec.ts';
import { podOf, testCluster } from './chain.fixture.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

describe('a pod without a service account', () => {
  test('gets the default one, and a token in every container that mounts nothing at its path', async () => {
    const cluster = await testCluster();
    const mounted = { name: 'v', mountPath: MOUNT_PATH };
    const { spec } = (await cluster.create(
      'pods/x',
      podOf({
        initContainers: [{ name: 'i', image: 'i' }],
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', image: 'i', volumeMounts: [mounted] },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      }),
    )) as Pod;
    const name = spec.volumes?.[1]?.name ?? '';
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const mount = { name, readOnly: true, mountPath: MOUNT_PATH };
    expect(spec.serviceAccountName).toBe('default');
    expect(spec.serviceAccount).toBe('default');
    expect(spec.initContainers?.[0]?.volumeMounts).toEqual([mount]);
    expect(spec.containers?.map(({ volumeMounts }) => volumeMounts)).toEqual([[mount], [mounted]]);
    expect(spec.volumes?.[1]).toEqual({
      name,
      projected: {
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
            },
          },
        ],
        defaultMode: 420,
      },
    });
  });

  test('gets no token if the pod or its account disables it, and the pod takes precedence', async () => {
    const cluster = await testCluster();
    await cluster.create('serviceaccounts/x', { metadata: { name: 'off' }, automountServiceAccountToken: false });
    const volumes = async (spec: object) =>
      ((await cluster.create('pods/x', podOf(spec), { dryRun: true })) as Pod).spec.volumes ?? [];
    expect(await volumes({ automountServiceAccountToken: false })).toHaveLength(0);
    expect(await volumes({ serviceAccountName: 'off' })).toHaveLength(0);
    expect(await volumes({ serviceAccountName: 'off', automountServiceAccountToken: true })).toHaveLength(1);
  });

  test('is named by its generateName in errors', async () => {
    const cluster = await testCluster();
    await cluster.create('namespaces', { metadata: { name: 'empty' } });
    const { message } = await cluster.refused(
      cluster.create('pods/empty', podOf({}, { name: '', generateName: 'a-' })),
    );
    expect(message).toBe(
      'pods "a-" is forbidden: error looking up service account empty/default: serviceaccount "default" not found',
    );
  });
});

test('image pull secrets come from the account if the pod has none', async () => {
  const cluster = await testCluster();
  await cluster.create('serviceaccounts/x', { metadata: { name: 's' }, imagePullSecrets: [{ name: 'pull' }] });
  const secrets = async (spec: object) =>
    ((await cluster.create('pods/x', podOf({ serviceAccountName: 's', ...spec }), { dryRun: true })) as Pod).spec
      .imagePullSecrets;
  expect(await secrets({})).toEqual([{ name: 'pull' }]);
  expect(await secrets({ imagePullSecrets: [{ name: 'own' }] })).toEqual([{ name: 'own' }]);
});

const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const secretEnv = [{ name: 'E', valueFrom: { secretKeyRef: { name: 'no', key: 'k' } } }];

test.each<[problem: string, spec: object, metadata: object]>([
  ['error looking up service account x/none: serviceaccount "none" not found', { serviceAccountName: 'none' }, {}],
  ['a mirror pod may not reference service accounts', { nodeName: 'n', serviceAccountName: 'default' }, MIRROR],
  [
    'a mirror pod may not reference secrets',
    { nodeName: 'n', volumes: [{ name: 'v', secret: { secretName: 's' } }] },
    MIRROR,
  ],
  [
    'a mirror pod may not use ServiceAccountToken volume projections',
    { nodeName: 'n', volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } }] },
    MIRROR,
  ],
  [
    'imagePullSecrets[0].name="o" is not allowed because service account strict does not reference that imagePullSecret',
    { serviceAccountName: 'strict', imagePullSecrets: [{ name: 'o' }] },
    {},
  ],
  [
    'volume with secret.secretName="bad" is not allowed because service account strict does not reference that secret',
    { serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: 'bad' } }] },
    {},
  ],
  [
    'init container i with envVar E referencing secret.secretName="no" is not allowed because service account strict does not reference that secret',
    { serviceAccountName: 'strict', initContainers: [{ name: 'i', image: 'i', env: secretEnv }] },
    {},
  ],
  [
    'container c with envFrom referencing secret.secretName="no" is not allowed because service account strict does not reference that secret',
    { serviceAccountName: 'strict', containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'no' } }] }] },
    {},
  ],
])('rejects a pod: %s', async (problem, spec, metadata) => {
  const cluster = await testCluster();
  await cluster.create('serviceaccounts/x', {
    metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    imagePullSecrets: [{ name: 'pull' }],
    secrets: [{ name: 'sec' }],
  });
  const { message, code } = await cluster.refused(cluster.create('pods/x', podOf(spec, metadata)));
  expect([code, message]).toEqual([403, `pods "a" is forbidden: ${problem}`]);
});
