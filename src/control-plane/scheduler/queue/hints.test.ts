import { describe, expect, test } from 'vitest';
import type { FilterName } from '../framework/plugin-name.ts';
import { infoOf, type NodeOptions, node, type PodOptions, pod, schedulerHarness, ZONE } from '../harness.fixture.ts';
import type { ClusterEvent } from './cluster-event.ts';
import { queueingHint } from './hints.ts';
import type { QueuedPod } from './queued-pod.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const nodeEvent = (before: NodeOptions | undefined, after: NodeOptions | undefined): ClusterEvent => ({
  what: 'node',
  before: before && node('n', before),
  after: after && node('n', after),
});
const gone = (parts: PodOptions = {}): ClusterEvent => ({
  what: 'placed pod',
  before: infoOf('o', parts),
  after: undefined,
  slot: 0,
});
const came = (parts: PodOptions = {}): ClusterEvent => ({
  what: 'placed pod',
  before: undefined,
  after: infoOf('o', parts),
  slot: 0,
});
const taints = [{ key: 'k', effect: 'NoSchedule' }];
const port = { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80 }] }] };
const x = { labels: { app: 'x' } };
const rule = (rules: string) => ({
  affinity: { [rules]: { [REQUIRED]: [{ topologyKey: ZONE, labelSelector: { matchLabels: x.labels } }] } },
});
const spread = {
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: x.labels } },
  ],
};

describe('an unschedulable pod is retried only if the event may help:', () => {
  const CASES: readonly [what: string, by: FilterName, event: ClusterEvent, waiting: PodOptions, expected: boolean][] =
    [
      ['a node is uncordoned', 'NodeUnschedulable', nodeEvent({ unschedulable: true }, {}), {}, true],
      ['a node is cordoned', 'NodeUnschedulable', nodeEvent({}, { unschedulable: true }), {}, false],
      ['a taint is removed', 'TaintToleration', nodeEvent({ taints }, {}), {}, true],
      ['a taint is added', 'TaintToleration', nodeEvent({}, { taints }), {}, false],
      ['a tainted node is added', 'TaintToleration', nodeEvent(undefined, { taints }), {}, false],
      ['the label is added', 'NodeAffinity', nodeEvent({}, { labels: { d: 's' } }), { nodeSelector: { d: 's' } }, true],
      [
        'another label is added',
        'NodeAffinity',
        nodeEvent({}, { labels: { d: 'h' } }),
        { nodeSelector: { d: 's' } },
        false,
      ],
      ['a large enough node is added', 'NodeResourcesFit', nodeEvent(undefined, {}), { requests: { cpu: '4' } }, true],
      [
        'a node that is too small is added',
        'NodeResourcesFit',
        nodeEvent(undefined, {}),
        { requests: { cpu: '5' } },
        false,
      ],
      [
        'a node grows',
        'NodeResourcesFit',
        nodeEvent({}, { allocatable: { cpu: '8' } }),
        { requests: { cpu: '1' } },
        true,
      ],
      [
        'a node does not grow',
        'NodeResourcesFit',
        nodeEvent({}, { labels: { y: '' } }),
        { requests: { cpu: '1' } },
        false,
      ],
      ['a deleted pod leaves enough room', 'NodeResourcesFit', gone(), { requests: { cpu: '3' } }, true],
      ['a deleted pod leaves too little room', 'NodeResourcesFit', gone(), { requests: { cpu: '3500m' } }, false],
      ['a pod is added', 'NodeResourcesFit', came(), { requests: { cpu: '1' } }, false],
      ['a port becomes free', 'NodePorts', gone(port), port, true],
      ['a pod without the port is deleted', 'NodePorts', gone(), port, false],
      ['a matching pod is added', 'InterPodAffinity', came(x), rule('podAffinity'), true],
      ['a pod that does not match is added', 'InterPodAffinity', came(), rule('podAffinity'), false],
      ['a pod that it avoids is deleted', 'InterPodAffinity', gone(x), rule('podAntiAffinity'), true],
      ['a pod that avoids it is deleted', 'InterPodAffinity', gone(rule('podAntiAffinity')), x, true],
      ['a matching pod is deleted', 'PodTopologySpread', gone(x), spread, true],
      ['a pod that does not match is deleted', 'PodTopologySpread', gone(), spread, false],
      ['a zone is added', 'PodTopologySpread', nodeEvent({}, { labels: { [ZONE]: 'z' } }), spread, true],
      ['a volume is added', 'VolumeBinding', { what: 'storage' }, {}, true],
      ['a volume is added', 'NodeResourcesFit', { what: 'storage' }, {}, false],
    ];
  test.each(CASES)('%s (%s)', (_what, by, event, waiting, expected) => {
    const cluster = schedulerHarness({ nodes: [node('n')], pods: { n: [pod('there', { requests: { cpu: '1' } })] } });
    const queued = { info: infoOf('p', waiting), unschedulablePlugins: new Set([by]) } as unknown as QueuedPod;
    expect(queueingHint(queued, event, cluster)).toBe(expected);
  });

  test('any node if there was none at all', () => {
    const queued = { info: infoOf('p'), unschedulablePlugins: new Set() } as unknown as QueuedPod;
    expect(queueingHint(queued, nodeEvent(undefined, {}), schedulerHarness())).toBe(true);
    expect(queueingHint(queued, gone(), schedulerHarness())).toBe(false);
  });
});
