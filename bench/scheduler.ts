import { buildProfile } from '#control-plane/scheduler/config/build-profile';
import { ExplanationStore } from '#control-plane/scheduler/explanation/explanation-store';
import { Placer } from '#control-plane/scheduler/framework/placer';
import { Rotation } from '#control-plane/scheduler/framework/sampling';
import { podInfoOf } from '#control-plane/scheduler/pod/pod-info';
import { NominatedPods } from '#control-plane/scheduler/queue/nominated-pods';
import { Snapshot } from '#control-plane/scheduler/snapshot/snapshot';
import { realClock } from '#platform/base/clock';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';

const PODS = 10_000;
const WARM_UP = 3_000;

interface Case {
  readonly name: string;
  readonly nodes: number;
  readonly target: string;
  readonly spec?: (i: number) => object;
}

const CASES: readonly Case[] = [
  { name: 'basic pods, 1,000 nodes', nodes: 1_000, target: 'at most 120 us' },
  { name: 'basic pods, 5,000 nodes', nodes: 5_000, target: 'at least 3,000/s' },
  { name: 'node affinity, 5,000 nodes', nodes: 5_000, target: '', spec: () => ({ affinity: NODE_AFFINITY }) },
  { name: 'hard spread, 5,000 nodes', nodes: 5_000, target: 'at least 500/s', spec: () => spread('DoNotSchedule') },
  { name: 'soft spread, 5,000 nodes', nodes: 5_000, target: 'at least 500/s', spec: () => spread('ScheduleAnyway') },
  { name: 'pod affinity, 5,000 nodes', nodes: 5_000, target: 'at least 500/s', spec: () => near('podAffinity', ZONE) },
  {
    name: 'pod anti-affinity, 5,000 nodes',
    nodes: 5_000,
    target: 'at least 500/s',
    spec: (i) => near('podAntiAffinity', HOSTNAME, i % 100),
  },
  {
    name: 'preferred pod affinity, 5,000 nodes',
    nodes: 5_000,
    target: 'at least 500/s',
    spec: () => ({ affinity: { podAffinity: { [PREFERRED]: [{ weight: 50, podAffinityTerm: term(HOSTNAME) }] } } }),
  },
];

const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const NODE_AFFINITY = {
  nodeAffinity: {
    [REQUIRED]: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['zone-0', 'zone-1'] }] }],
    },
  },
};

/** Measures the decisions of the scheduler alone: without an API, but with recorded explanations. */
export async function run(): Promise<void> {
  for (const each of CASES) measure(each);
}

function measure({ name, nodes: count, target, spec = () => ({}) }: Case): void {
  const nodes = new Snapshot();
  for (let i = 0; i < count; i++) nodes.setNode(node(i));
  const explanations = new ExplanationStore();
  const cluster = {
    nodes,
    storage: {
      claim: () => undefined,
      volume: () => undefined,
      storageClass: () => undefined,
      freeVolumes: () => [],
      csiNode: () => undefined,
    },
    namespaceLabels: () => ({}),
    namespaces: () => [],
    peersOf: () => undefined,
  };
  const placer = new Placer({
    profile: buildProfile(),
    cluster,
    nominator: new NominatedPods(nodes),
    rotation: new Rotation(),
  });
  let began = 0;
  let before = process.cpuUsage();
  let placed = 0;
  for (let i = 0; i < WARM_UP + PODS; i++) {
    if (i === WARM_UP) {
      began = realClock.monotonic();
      before = process.cpuUsage();
      placed = 0;
    }
    const info = podInfoOf(pod(i, spec(i)));
    const attempt = placer.place(info);
    explanations.record(attempt, nodes.names, { scheduler: 'bench', at: 0, attempt: 1 });
    if (attempt.chosen === undefined) continue;
    nodes.setPod(info, nodes.nameAt(attempt.chosen));
    placed++;
  }
  const wall = (realClock.monotonic() - began) * 1000;
  const { user, system } = process.cpuUsage(before);
  // The rate is per CPU time, since wall time depends on what else runs on the host.
  const rate = `${Math.round((PODS * 1e6) / (user + system)).toLocaleString('en')}/s`;
  const each = `${((user + system) / PODS).toFixed(1)} us CPU ${(wall / PODS).toFixed(1).padStart(8)} us wall`;
  const missing = placed === PODS ? '' : `  (${PODS - placed} found no node)`;
  console.log(`  ${name.padEnd(38)} ${rate.padStart(10)} ${each.padStart(32)}  ${target}${missing}`);
}

function node(i: number): Node {
  const name = `node-${i}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [HOSTNAME]: name, [ZONE]: `zone-${i % 10}`, type: 'kwok' } },
    status: { allocatable: { cpu: '32', memory: '128Gi', 'ephemeral-storage': '100Gi', pods: '110' } },
  };
}

function pod(i: number, spec: object): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${i}`,
      namespace: 'default',
      uid: `uid-${i}`,
      labels: { app: 'bench', group: `g-${i % 100}` },
    },
    spec: {
      containers: [{ name: 'compute', image: 'compute:1', resources: { requests: { cpu: '250m', memory: '512Mi' } } }],
      ...spec,
    },
  };
}

const spread = (whenUnsatisfiable: string) => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable, labelSelector: { matchLabels: { app: 'bench' } } },
    { maxSkew: 5, topologyKey: HOSTNAME, whenUnsatisfiable, labelSelector: { matchLabels: { app: 'bench' } } },
  ],
});

const term = (topologyKey: string, group?: number) => ({
  topologyKey,
  labelSelector: { matchLabels: group === undefined ? { app: 'bench' } : { group: `g-${group}` } },
});

const near = (rules: string, key: string, group?: number) => ({
  affinity: { [rules]: { [REQUIRED]: [term(key, group)] } },
});

if (import.meta.main) await run();
