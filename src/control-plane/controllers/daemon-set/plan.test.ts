import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Taint } from '#platform/kube/kinds/node';
import type { Pod, PodSpec } from '#platform/kube/kinds/pod';
import type { ControllerRevision, DaemonSet } from '#platform/kube/kinds/workloads';
import { daemonPod, targetNode } from './daemon-pod.ts';
import { daemonTolerations, nodeEligibility } from './eligible-nodes.ts';
import { daemonNodes, planDaemonSet } from './plan.ts';
import { ReplacementDelays } from './replacement-delays.ts';
import { daemonSetStatus } from './status.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const revision: ControllerRevision = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'log-new', labels: { 'controller-revision-hash': 'new' } },
  revision: 2,
};
const setOf = (spec: Partial<DaemonSet['spec']> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'log',
    namespace: 'default',
    uid: 'log',
    generation: 2,
    annotations: { 'deprecated.daemonset.template.generation': '2' },
  },
  spec: {
    selector: { matchLabels: { app: 'log' } },
    template: { metadata: { labels: { app: 'log' } }, spec: { containers: [] } },
    ...spec,
  },
});
const nodeOf = (name: string, { labels = {}, taints = [] as Taint[] } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
});
const taint = (key: string, effect: string): Taint => ({ key, effect });

describe('a node', () => {
  const withAffinity = (key: string): PodSpec => ({
    containers: [],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }],
        },
      },
    },
  });
  it.each<[string, PodSpec, Node, boolean, boolean]>([
    ['runs a pod', { containers: [] }, nodeOf('a'), true, true],
    [
      'runs a pod even if it is cordoned',
      { containers: [] },
      nodeOf('a', { taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule')] }),
      true,
      true,
    ],
    [
      'runs a pod even if it is not ready',
      { containers: [] },
      nodeOf('a', { taints: [taint('node.kubernetes.io/not-ready', 'NoExecute')] }),
      true,
      true,
    ],
    [
      'keeps its pod after a new NoSchedule taint',
      { containers: [] },
      nodeOf('a', { taints: [taint('mine', 'NoSchedule')] }),
      false,
      true,
    ],
    [
      'runs a pod that tolerates its taint',
      { containers: [], tolerations: [{ operator: 'Exists' }] },
      nodeOf('a', { taints: [taint('mine', 'NoExecute')] }),
      true,
      true,
    ],
    [
      'loses its pod after a NoExecute taint',
      { containers: [] },
      nodeOf('a', { taints: [taint('mine', 'NoExecute')] }),
      false,
      false,
    ],
    [
      'runs no pod without the labels of the node selector',
      { containers: [], nodeSelector: { disk: 'ssd' } },
      nodeOf('a'),
      false,
      false,
    ],
    [
      'runs a pod with the labels of the node selector',
      { containers: [], nodeSelector: { disk: 'ssd' } },
      nodeOf('a', { labels: { disk: 'ssd' } }),
      true,
      true,
    ],
    ['runs no pod if it does not match the affinity', withAffinity('gpu'), nodeOf('a'), false, false],
    ['runs a pod if it matches the affinity', withAffinity('gpu'), nodeOf('a', { labels: { gpu: '1' } }), true, true],
    ['runs no pod if the template names another node', { containers: [], nodeName: 'b' }, nodeOf('a'), false, false],
    [
      'without network runs no pod that needs it',
      { containers: [] },
      nodeOf('a', { taints: [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')] }),
      false,
      true,
    ],
    [
      'without network runs a pod with the host network',
      { containers: [], hostNetwork: true },
      nodeOf('a', { taints: [taint('node.kubernetes.io/network-unavailable', 'NoSchedule')] }),
      true,
      true,
    ],
  ])('%s', (_what, spec, node, runs, keeps) => {
    expect(nodeEligibility(spec)(node)).toEqual({ runs, keeps });
  });

  it('is selected by the affinity of its pod, which has the tolerations of a daemon and its revision', () => {
    const pod = daemonPod(
      setOf({ template: { metadata: { labels: { app: 'log' } }, spec: withAffinity('gpu') } }),
      'a',
      revision,
    );
    expect(pod.metadata).toMatchObject({
      generateName: 'log-',
      labels: { app: 'log', 'controller-revision-hash': 'new', 'pod-template-generation': '2' },
    });
    expect(pod.spec).toMatchObject({ tolerations: daemonTolerations({ containers: [] }) });
    expect(pod.spec).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: 'gpu', operator: 'Exists' }],
                matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }],
              },
            ],
          },
        },
      },
    });
    expect(targetNode(pod as Pod)).toBe('a');
  });
});

type Looks = 'ready' | 'pending' | 'leaving' | 'failed';
const podOn = (node: string, looks: Looks = 'ready', hash = 'new', name = `log-${node}-${hash}`): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    creationTimestamp: '2030-01-01T10:00:00Z',
    labels: { 'controller-revision-hash': hash },
    ...(looks === 'leaving' ? { deletionTimestamp: '2030-01-01T11:59:00Z' } : {}),
  },
  spec: { containers: [], nodeName: node },
  status: {
    phase: looks === 'pending' ? 'Pending' : looks === 'failed' ? 'Failed' : 'Running',
    conditions: [
      {
        type: 'Ready',
        status: looks === 'ready' || looks === 'leaving' ? 'True' : 'False',
        lastTransitionTime: '2030-01-01T11:00:00Z',
      },
    ],
  },
});
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const three = ['a', 'b', 'c'].map((name) => nodeOf(name));

describe('the next step of a DaemonSet', () => {
  it.each<[string, DaemonSet, Node[], Pod[], string[], string[]]>([
    ['creates a pod for every node', setOf(), three, [podOn('b')], ['a', 'c'], []],
    ['waits for a terminating pod', setOf(), three, [podOn('a', 'leaving'), podOn('b'), podOn('c')], [], []],
    [
      'deletes the younger of two pods on a node',
      setOf(),
      [nodeOf('a')],
      [podOn('a'), podOn('a', 'ready', 'new', 'z')],
      [],
      ['z'],
    ],
    ['deletes a failed pod', setOf(), [nodeOf('a')], [podOn('a', 'failed')], [], ['log-a-new']],
    [
      'deletes the pod of a node that it no longer selects',
      setOf({ template: { spec: { containers: [], nodeSelector: { x: 'y' } } } }),
      [nodeOf('a')],
      [podOn('a')],
      [],
      ['log-a-new'],
    ],
    [
      'updates one pod at a time',
      setOf(),
      three,
      [podOn('a', 'ready', 'old'), podOn('b', 'ready', 'old'), podOn('c')],
      [],
      ['log-a-old'],
    ],
    [
      'updates none while one is unavailable',
      setOf(),
      three,
      [podOn('a', 'ready', 'old'), podOn('b', 'ready', 'old'), podOn('c', 'pending')],
      [],
      [],
    ],
    [
      'updates pods that are already unavailable',
      setOf(),
      three,
      [podOn('a', 'ready', 'old'), podOn('b', 'pending', 'old'), podOn('c', 'pending', 'old')],
      [],
      ['log-b-old', 'log-c-old'],
    ],
    [
      'updates as many pods as maxUnavailable allows',
      setOf(rolling({ maxUnavailable: '50%' })),
      three,
      [podOn('a', 'ready', 'old'), podOn('b', 'ready', 'old'), podOn('c', 'ready', 'old')],
      [],
      ['log-a-old', 'log-b-old'],
    ],
    [
      'updates no pod with the strategy OnDelete',
      setOf({ updateStrategy: { type: 'OnDelete' } }),
      [nodeOf('a')],
      [podOn('a', 'ready', 'old')],
      [],
      [],
    ],
    [
      'creates a new pod before it deletes the old one with maxSurge',
      setOf(rolling({ maxSurge: 1, maxUnavailable: 0 })),
      three,
      [podOn('a', 'ready', 'old'), podOn('b', 'ready', 'old'), podOn('c')],
      ['a'],
      [],
    ],
    [
      'keeps the old pod until the new one is available',
      setOf(rolling({ maxSurge: 1, maxUnavailable: 0 })),
      [nodeOf('a')],
      [podOn('a', 'ready', 'old'), podOn('a', 'pending')],
      [],
      [],
    ],
    [
      'deletes the old pod once the new one is available',
      setOf(rolling({ maxSurge: 1, maxUnavailable: 0 })),
      [nodeOf('a')],
      [podOn('a', 'ready', 'old'), podOn('a')],
      [],
      ['log-a-old'],
    ],
  ])('%s', (_what, set, nodes, pods, create, remove) => {
    const plan = planDaemonSet(set, daemonNodes(set, nodes, pods), revision, NOW);
    expect(plan.create).toEqual(create);
    expect(plan.delete.map(({ metadata }) => metadata.name)).toEqual(remove);
  });

  it('leads to one new pod on every node, and never exceeds maxUnavailable', () => {
    const looks = fc.constantFrom<Looks | 'none'>('none', 'ready', 'pending', 'failed');
    const state = fc.array(fc.tuple(looks, fc.constantFrom('old', 'new')), { minLength: 1, maxLength: 6 });
    const property = fc.property(state, fc.integer({ min: 1, max: 3 }), fc.boolean(), (initial, limit, surge) => {
      const set = setOf(rolling(surge ? { maxSurge: limit, maxUnavailable: 0 } : { maxUnavailable: limit }));
      const nodes = initial.map((_, at) => nodeOf(`n${at}`));
      let pods = initial.flatMap(([look, hash], at) => (look === 'none' ? [] : [podOn(`n${at}`, look, hash)]));
      for (let step = 0; step < 30; step++) {
        const plan = planDaemonSet(set, daemonNodes(set, nodes, pods), revision, NOW);
        const ready = plan.delete.filter(({ status }) => status?.conditions?.[0]?.status === 'True');
        if (!surge) expect(ready.length).toBeLessThanOrEqual(limit);
        pods = pods
          .filter((pod) => !plan.delete.includes(pod))
          .map((pod) =>
            pod.status?.phase === 'Pending'
              ? podOn(pod.spec.nodeName ?? '', 'ready', pod.metadata.labels?.['controller-revision-hash'])
              : pod,
          );
        pods.push(...plan.create.map((node) => podOn(node, 'pending')));
      }
      expect(pods.map(({ metadata }) => metadata.name ?? '').sort()).toEqual(
        nodes.map(({ metadata }) => `log-${metadata.name}-new`),
      );
    });
    fc.assert(property);
  });
});

it('counts nodes by their pods', () => {
  const set = setOf();
  const nodes = [...three, nodeOf('d', { taints: [taint('mine', 'NoSchedule')] })];
  const pods = [podOn('a', 'ready', 'old'), podOn('b', 'pending'), podOn('d')];
  expect(daemonSetStatus(set, daemonNodes(set, nodes, pods), revision, NOW)).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
    observedGeneration: 2,
  });
});

it('replaces failed pods after increasing delays, which are reset after a long time', () => {
  const delays = new ReplacementDelays();
  expect(delays.waitFor('k', 'n', 'first', 0)).toBe(1_000);
  expect(delays.waitFor('k', 'n', 'first', 400)).toBe(600);
  expect(delays.waitFor('k', 'n', 'first', 2_000)).toBe(0);
  expect(delays.waitFor('k', 'n', 'second', 3_000)).toBe(2_000);
  expect(delays.waitFor('k', 'other', 'third', 3_000)).toBe(1_000);
  expect(delays.waitFor('k', 'n', 'fourth', 3_600_000)).toBe(1_000);
});
