import { describe, expect, test } from 'vitest';
import type { Pod, Toleration } from '../kinds/pod/pod-spec.ts';
import { podOf, testCluster } from './chain.fixture.ts';

const wait = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
const NOT_READY = wait('node.kubernetes.io/not-ready');
const UNREACHABLE = wait('node.kubernetes.io/unreachable');

describe('pods tolerate lost nodes for a time', () => {
  test.each<[why: string, given: Toleration[], result: Toleration[]]>([
    ['which is five minutes by default', [], [NOT_READY, UNREACHABLE]],
    [
      'which their own tolerations can change',
      [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }],
      [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }, UNREACHABLE],
    ],
    [
      'which is unlimited if they tolerate everything',
      [{ operator: 'Exists', effect: 'NoExecute' }],
      [{ operator: 'Exists', effect: 'NoExecute' }],
    ],
    [
      'which tolerations of NoSchedule do not change',
      [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }],
      [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }, NOT_READY, UNREACHABLE],
    ],
  ])('%s', async (_why, given, result) => {
    const cluster = await testCluster();
    const pod = (await cluster.create('pods/x', podOf({ tolerations: given }))) as Pod;
    expect(pod.spec.tolerations).toEqual(result);
  });
});

describe('new nodes', () => {
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  test.each([
    [[], [taint]],
    [[{ ...taint, value: 'x' }], [{ ...taint, value: 'x' }]],
    [[{ ...taint, effect: 'NoExecute' }], [{ ...taint, effect: 'NoExecute' }, taint]],
  ])('with taints %j get the taint not-ready', async (taints, result) => {
    const cluster = await testCluster();
    const node = await cluster.create('nodes', { metadata: { name: 'n' }, spec: { taints } });
    expect(node['spec']).toEqual({ taints: result });
  });
});

describe('a RuntimeClass', () => {
  const toleration = { key: 'k', operator: 'Exists', effect: 'NoSchedule' };
  const cluster = async () => {
    const made = await testCluster();
    await made.create('runtimeclasses.node.k8s.io', {
      metadata: { name: 'slow' },
      handler: 'h',
      overhead: { podFixed: { cpu: '100m' } },
      scheduling: { nodeSelector: { a: 'b' }, tolerations: [toleration] },
    });
    await made.create('runtimeclasses.node.k8s.io', { metadata: { name: 'plain' }, handler: 'h' });
    return made;
  };

  test('adds its overhead and scheduling constraints to the pod', async () => {
    const { spec } = (await (await cluster()).create('pods/x', podOf({ runtimeClassName: 'slow' }))) as Pod;
    expect(spec.overhead).toEqual({ cpu: '100m' });
    expect(spec.nodeSelector).toEqual({ a: 'b' });
    expect(spec.tolerations).toEqual([NOT_READY, UNREACHABLE, toleration]);
  });

  test('is merged with the constraints of the pod', async () => {
    const given = { ...toleration, key: 'z' };
    const { spec } = (await (
      await cluster()
    ).create(
      'pods/x',
      podOf({ runtimeClassName: 'slow', nodeSelector: { x: 'c' }, tolerations: [given, toleration] }),
    )) as Pod;
    expect(spec.nodeSelector).toEqual({ x: 'c', a: 'b' });
    expect(spec.tolerations).toEqual([given, toleration, NOT_READY, UNREACHABLE]);
  });

  test.each([
    ['pod rejected: RuntimeClass "nope" not found', { runtimeClassName: 'nope' }],
    [
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
      { runtimeClassName: 'slow', overhead: { cpu: '200m' } },
    ],
    [
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      { overhead: { cpu: '200m' } },
    ],
    [
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      { runtimeClassName: 'plain', overhead: { cpu: '200m' } },
    ],
    [
      'conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c',
      { runtimeClassName: 'slow', nodeSelector: { a: 'c' } },
    ],
  ])('rejects a pod: %s', async (problem, spec) => {
    const made = await cluster();
    const { message } = await made.refused(made.create('pods/x', podOf(spec)));
    expect(message).toBe(`pods "a" is forbidden: ${problem}`);
  });
});
