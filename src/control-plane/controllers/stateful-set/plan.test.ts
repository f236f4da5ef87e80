import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '#platform/kube/kinds/pod';
import type { ControllerRevision, StatefulSet } from '#platform/kube/kinds/workloads';
import { planStatefulSet, type StatefulPlan } from './plan.ts';
import { statefulSetStatus } from './status.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } };
const revision = (name: string, number: number): ControllerRevision => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name },
  revision: number,
  data: { spec: { template: { ...template, $patch: 'replace' } } },
});
const [OLD, NEW] = [revision('web-old', 1), revision('web-new', 2)];

const setOf = (spec: Partial<StatefulSet['spec']> = {}, status?: StatefulSet['status']): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default', generation: 3 },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
  ...(status === undefined ? {} : { status }),
});

type Looks = 'ready' | 'pending' | 'leaving' | 'failed';
const podOf = (ordinal: number, looks: Looks = 'ready', of = NEW, readyFor = 100): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `web-${ordinal}`,
    labels: { 'controller-revision-hash': of.metadata.name ?? '' },
    ...(looks === 'leaving' ? { deletionTimestamp: '2030-01-01T11:59:00Z' } : {}),
  },
  spec: { containers: [] },
  status: {
    phase: looks === 'pending' ? 'Pending' : looks === 'failed' ? 'Failed' : 'Running',
    conditions: [
      {
        type: 'Ready',
        status: looks === 'ready' ? 'True' : 'False',
        lastTransitionTime: new Date(NOW - readyFor * 1000).toISOString(),
      },
    ],
  },
});

const shown = ({ create, delete: remove }: StatefulPlan) => ({
  create: create.map(({ ordinal, revision: of }) => `${ordinal} ${of.metadata.name}`),
  delete: remove.map(({ metadata }) => metadata.name),
});

describe('the next step of a StatefulSet', () => {
  it.each<[string, StatefulSet, Pod[], string[], string[]]>([
    ['creates the first pod', setOf(), [], ['0 web-new'], []],
    ['waits for a pod that is not ready', setOf(), [podOf(0, 'pending')], [], []],
    ['creates the next pod', setOf(), [podOf(0)], ['1 web-new'], []],
    ['waits for minReadySeconds', setOf({ minReadySeconds: 200 }), [podOf(0)], [], []],
    [
      'creates all pods at once if parallel',
      setOf({ podManagementPolicy: 'Parallel' }),
      [podOf(1, 'pending')],
      ['0 web-new', '2 web-new'],
      [],
    ],
    ['replaces a failed pod', setOf(), [podOf(0), podOf(1, 'failed'), podOf(2)], [], ['web-1']],
    ['starts at the configured ordinal', setOf({ replicas: 1, ordinals: { start: 5 } }), [], ['5 web-new'], []],
    [
      'deletes the last pod if there are too many',
      setOf({ replicas: 1 }),
      [podOf(0), podOf(1), podOf(2)],
      [],
      ['web-2'],
    ],
    ['deletes one pod at a time', setOf({ replicas: 1 }), [podOf(0), podOf(1), podOf(2, 'leaving')], [], []],
    [
      'deletes all superfluous pods at once if parallel',
      setOf({ replicas: 1, podManagementPolicy: 'Parallel' }),
      [podOf(0), podOf(1), podOf(2)],
      [],
      ['web-2', 'web-1'],
    ],
    ['deletes no pod before the others are healthy', setOf({ replicas: 1 }), [podOf(0, 'pending'), podOf(1)], [], []],
    [
      'updates the last pod first',
      setOf(),
      [podOf(0, 'ready', OLD), podOf(1, 'ready', OLD), podOf(2, 'ready', OLD)],
      [],
      ['web-2'],
    ],
    [
      'updates the next pod once the last is ready',
      setOf(),
      [podOf(0, 'ready', OLD), podOf(1, 'ready', OLD), podOf(2)],
      [],
      ['web-1'],
    ],
    [
      'updates no pod below the partition',
      setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
      [podOf(0, 'ready', OLD), podOf(1, 'ready', OLD), podOf(2)],
      [],
      [],
    ],
    [
      'creates old pods below the partition',
      setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }),
      [],
      ['0 web-old'],
      [],
    ],
    [
      'updates two pods at a time with maxUnavailable 2',
      setOf({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 2 } } }),
      [podOf(0, 'ready', OLD), podOf(1, 'ready', OLD), podOf(2, 'ready', OLD)],
      [],
      ['web-2', 'web-1'],
    ],
    [
      'updates no pod with the strategy OnDelete',
      setOf({ updateStrategy: { type: 'OnDelete' } }),
      [podOf(0, 'ready', OLD), podOf(1, 'ready', OLD), podOf(2, 'ready', OLD)],
      [],
      [],
    ],
    ['does nothing if all pods are up to date', setOf(), [podOf(0), podOf(1), podOf(2)], [], []],
  ])('%s', (_what, set, pods, create, remove) => {
    expect(shown(planStatefulSet(set, pods, { current: OLD, update: NEW }, NOW))).toEqual({ create, delete: remove });
  });

  it('reaches its replicas and revision from any state, one pod at a time if ordered', () => {
    const state = fc.uniqueArray(
      fc.tuple(fc.nat(6), fc.constantFrom<Looks>('ready', 'pending', 'failed'), fc.constantFrom(OLD, NEW)),
      {
        selector: ([ordinal]) => ordinal,
        maxLength: 6,
      },
    );
    const property = fc.property(state, fc.nat(5), fc.boolean(), (initial, replicas, parallel) => {
      const set = setOf({ replicas, podManagementPolicy: parallel ? 'Parallel' : 'OrderedReady' });
      let pods = initial.map(([ordinal, looks, of]) => podOf(ordinal, looks, of));
      for (let step = 0; step < 60; step++) {
        const plan = planStatefulSet(set, pods, { current: OLD, update: NEW }, NOW);
        if (!parallel) expect(plan.create.length + plan.delete.length).toBeLessThanOrEqual(1);
        const gone = new Set(plan.delete.map(({ metadata }) => metadata.name));
        pods = pods
          .filter(({ metadata }) => !gone.has(metadata.name))
          .map((pod) =>
            pod.status?.phase === 'Pending'
              ? podOf(
                  Number(pod.metadata.name?.slice(4)),
                  'ready',
                  pod.metadata.labels?.['controller-revision-hash'] === 'web-old' ? OLD : NEW,
                )
              : pod,
          );
        pods.push(...plan.create.map(({ ordinal, revision: of }) => podOf(ordinal, 'pending', of)));
      }
      const names = pods.map(({ metadata }) => metadata.name ?? '').sort();
      expect(names).toEqual(Array.from({ length: replicas }, (_, at) => `web-${at}`));
      expect(pods.every(({ metadata }) => metadata.labels?.['controller-revision-hash'] === 'web-new')).toBe(true);
    });
    fc.assert(property);
  });
});

describe('the status of a StatefulSet', () => {
  it('counts pods of both revisions during a rollout', () => {
    const pods = [podOf(0, 'ready', OLD), podOf(1, 'pending', OLD), podOf(2, 'ready', NEW, 10)];
    expect(statefulSetStatus(setOf({ minReadySeconds: 60 }), pods, { current: OLD, update: NEW }, NOW)).toEqual({
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: 'web-old',
      updateRevision: 'web-new',
      collisionCount: 0,
      observedGeneration: 3,
    });
  });

  it('makes the newest revision current when the rollout is complete', () => {
    const pods = [podOf(0), podOf(1), podOf(2)];
    expect(statefulSetStatus(setOf(), pods, { current: OLD, update: NEW }, NOW)).toMatchObject({
      currentRevision: 'web-new',
      currentReplicas: 3,
    });
  });
});
