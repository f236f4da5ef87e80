import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS, NAMESPACES, type Namespace, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { PODS } from '#platform/kube/kinds/pod';
import { KubeError } from '#platform/kube/kube-error';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { conditionsAfter, type DeletionResult, isContentDeleted } from './conditions.ts';
import { namespaceController } from './controller.ts';
import { deleteAllContent } from './delete-all-content.ts';

const clean: DeletionResult = { undiscovered: [], failures: [], left: new Map(), heldBy: new Map() };

describe('the conditions of a terminating namespace', () => {
  it('are all False if nothing prevents the deletion', () => {
    const conditions = conditionsAfter(clean, undefined, '2030-01-01T00:00:00Z');
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered',
      'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions',
      'NamespaceDeletionContentFailure False ContentDeleted',
      'NamespaceContentRemaining False ContentRemoved',
      'NamespaceFinalizersRemaining False ContentHasNoFinalizers',
    ]);
    expect(isContentDeleted(clean)).toBe(true);
  });

  it.each<[string, Partial<DeletionResult>, string]>([
    ['NamespaceDeletionDiscoveryFailure', { undiscovered: ['a/v1'] }, 'Discovery failed for some groups, 1 failing'],
    ['NamespaceDeletionContentFailure', { failures: ['no'] }, 'Failed to delete all resource types, 1 remaining: no'],
    [
      'NamespaceContentRemaining',
      {
        left: new Map([
          ['pods.', 2],
          ['jobs.batch', 1],
        ]),
      },
      'Some resources are remaining: jobs.batch has 1 resource instances, pods. has 2 resource instances',
    ],
  ])('report that in %s', (type, found, message) => {
    const emptying = { ...clean, ...found };
    const conditions = conditionsAfter(emptying, undefined, 'now');
    expect(conditions.find((condition) => condition.type === type)?.message).toContain(message);
    expect(conditions.filter(({ status }) => status === 'True').map((condition) => condition.type)).toEqual([type]);
    expect(isContentDeleted(emptying)).toBe(false);
  });

  it('keep their transition time until they change', () => {
    const first = conditionsAfter({ ...clean, failures: ['x'] }, undefined, 'first');
    const second = conditionsAfter({ ...clean, failures: ['y'] }, first, 'second');
    const third = conditionsAfter(clean, second, 'third');
    const times = (conditions: typeof first) => conditions.map(({ lastTransitionTime }) => lastTransitionTime);
    expect(new Set(times(second))).toEqual(new Set(['first']));
    expect(times(third)).toEqual(['first', 'first', 'third', 'first', 'first']);
  });
});

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
});
afterEach(() => cluster.stop());

const container = { name: 'main', image: 'registry.example.com/app:1' };
const read = (): Promise<Namespace> => admin.get(NAMESPACES, 'doomed');
const conditionOf = async (type: string) =>
  (await read()).status?.conditions?.find((condition) => condition.type === type);

/** Creates a namespace that still exists after its content was deleted. */
async function doom(): Promise<void> {
  const metadata = { name: 'doomed', finalizers: ['example.com/watched'] };
  await admin.create(NAMESPACES, { metadata, spec: { finalizers: ['kubernetes'] } });
  await cluster.admitPods('doomed');
}

describe('a namespace that is deleted', () => {
  it('is deleted with its content', async () => {
    runController(cluster, 'namespace-controller', namespaceController);
    await doom();
    const inside = { namespace: 'doomed' };
    await admin.create(CONFIG_MAPS, { metadata: { name: 'a', ...inside } });
    await admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'b', ...inside } });
    await admin.create(PODS, { metadata: { name: 'c', ...inside }, spec: { containers: [container] } });
    await admin.delete(NAMESPACES, 'doomed');
    await cluster.until(async () => (await read()).spec?.finalizers?.length !== 1);
    const namespace = await read();
    expect(namespace.spec?.finalizers ?? []).toEqual([]);
    expect(namespace.status?.phase).toBe('Terminating');
    expect(namespace.status?.conditions?.every(({ status }) => status === 'False')).toBe(true);
    for (const type of [CONFIG_MAPS, SERVICE_ACCOUNTS, PODS]) {
      expect((await admin.list(type, inside)).items).toEqual([]);
    }
  });

  it('waits for the finalizers of its objects, and reports which and why', async () => {
    runController(cluster, 'namespace-controller', namespaceController);
    await doom();
    const held = { name: 'a', namespace: 'doomed', finalizers: ['example.com/held'] };
    await admin.create(CONFIG_MAPS, { metadata: held });
    await admin.delete(NAMESPACES, 'doomed');
    const remaining = await cluster.until(() => conditionOf('NamespaceContentRemaining'));
    expect(remaining).toMatchObject({
      status: 'True',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    });
    expect((await conditionOf('NamespaceFinalizersRemaining'))?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances',
    );
    expect((await read()).spec?.finalizers).toEqual(['kubernetes']);
    const body = { metadata: { finalizers: null } };
    await admin.patch(CONFIG_MAPS, 'a', { type: 'merge', body }, { namespace: 'doomed' });
    await cluster.clock.advance(15_000);
    expect((await read()).spec?.finalizers ?? []).toEqual([]);
  });

  it('deletes its pods first', async () => {
    runController(cluster, 'namespace-controller', namespaceController);
    await doom();
    const inside = { namespace: 'doomed' };
    await admin.create(CONFIG_MAPS, { metadata: { name: 'a', ...inside } });
    const metadata = { name: 'p', ...inside, finalizers: ['example.com/held'] };
    await admin.create(PODS, { metadata, spec: { containers: [container] } });
    await admin.delete(NAMESPACES, 'doomed');
    await cluster.until(() => conditionOf('NamespaceContentRemaining'));
    await cluster.clock.advance(60_000);
    expect((await admin.list(CONFIG_MAPS, inside)).items).toHaveLength(1);
    await admin.delete(PODS, 'p', { ...inside, gracePeriodSeconds: 0 });
    await admin.patch(PODS, 'p', { type: 'merge', body: { metadata: { finalizers: null } } }, inside);
    await cluster.until(async () => (await read()).spec?.finalizers?.length !== 1);
    expect((await admin.list(CONFIG_MAPS, inside)).items).toEqual([]);
  });

  it('is not emptied before it is deleted', async () => {
    runController(cluster, 'namespace-controller', namespaceController);
    await doom();
    await admin.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'doomed' } });
    await cluster.settle();
    expect((await admin.list(CONFIG_MAPS, { namespace: 'doomed' })).items).toHaveLength(1);
  });

  it('is not deleted if something could not be listed or deleted', async () => {
    await doom();
    const refusing: Client = {
      ...admin,
      deleteCollection: () => Promise.reject(new KubeError(403, 'Forbidden', 'not this one')),
    };
    await admin.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'doomed' } });
    const verbs = ['delete', 'list', 'deletecollection'];
    const failed = new Map([['metrics.k8s.io/v1', new Error('no answer')]]);
    const found = await deleteAllContent(refusing, { resources: [{ ...CONFIG_MAPS, verbs }], failed }, 'doomed');
    expect(found).toMatchObject({ undiscovered: ['metrics.k8s.io/v1'], failures: ['not this one'] });
    expect(isContentDeleted(found)).toBe(false);
  });
});
