import type { Random } from '#platform/base/random';
import type { Node, Taint } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { CsiNode, PersistentVolume, PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { chance, DRIVER, HOSTNAME, ZONE } from './random-part.ts';
import { someDelayedClaim, someLocalVolume } from './random-storage.ts';

/** Nodes, storage, and the pods to create one after the other. */
export interface RandomCluster {
  readonly nodes: readonly Node[];
  readonly csiNodes: readonly CsiNode[];
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly pods: readonly Pod[];
}

/** In the second namespace, a Service selects pods with the label app=a, so that they are spread by default. */
export const NAMESPACES: Readonly<Record<string, Record<string, string>>> = {
  plain: { team: 'red' },
  served: { team: 'blue' },
};
export const SERVED = { app: 'a' };
export const PRIORITIES = { low: 10, high: 1000, polite: 500 };
/** Pods with app=b may be disrupted once, those with app=c never. */
export const BUDGETS = { b: 1, c: 0 };

const APPS = ['a', 'b', 'c'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const TAINTS: readonly Taint[] = [
  { key: 'k', value: 'v', effect: 'NoSchedule' },
  { key: 'k', value: 'v', effect: 'PreferNoSchedule' },
  { key: 'l', effect: 'PreferNoSchedule' },
  { key: 'm', effect: 'NoExecute' },
];
const MEBIBYTE = 2 ** 20;
const IMAGES: readonly (readonly [string, number])[] = [
  ['registry.example/small:1', 10 * MEBIBYTE],
  ['registry.example/middle:1', 300 * MEBIBYTE],
  ['registry.example/large:1', 1500 * MEBIBYTE],
];

/** Generates a cluster from the random source. `name` is the prefix of all names in it. */
export function randomCluster(random: Random, name: string): RandomCluster {
  const nodes = Array.from({ length: random.int(2, 9) }, (_, i) => someNode(random, `${name}-n${i}`));
  const withStorage = random.next() < 0.4;
  const storage = Array.from({ length: withStorage ? random.int(1, 3) : 0 }, (_, i) =>
    someVolume(random, `${name}-v${i}`),
  );
  const csiNodes = nodes
    .filter(() => withStorage && random.next() < 0.5)
    .map(({ metadata }) => csiNode(metadata.name ?? '', random.int(1, 2)));
  const crowded = random.next() < 0.35;
  const later = random.fork('delayed');
  const [local, delayed] = [withStorage ? later.int(0, 4) : 0, withStorage ? later.int(0, 4) : 0];
  const locals = Array.from({ length: local }, (_, i) => someLocalVolume(later, `${name}-l${i}`, nodes));
  const claims = [
    ...storage.map(({ claim }) => claim),
    ...Array.from({ length: delayed }, (_, i) => someDelayedClaim(later, `${name}-d${i}`)),
  ];
  const pods = Array.from({ length: random.int(6, 14) }, (_, i) => somePod(random, `${name}-p${i}`, claims, crowded));
  return { nodes, csiNodes, volumes: [...storage.map(({ volume }) => volume), ...locals], claims, pods };
}

/**
 * Generates a cluster with so many nodes that not all are evaluated. The first pod fits every schedulable node, so that
 * it reveals where the search starts. No pod needs preemption, because its number of attempts depends on the time.
 */
export function largeCluster(random: Random, name: string): RandomCluster {
  const nodes = Array.from({ length: random.int(101, 180) }, (_, i) => someNode(random, `${name}-n${i}`));
  const first = { ...somePod(random, `${name}-p0`, [], false), spec: { ...ANYWHERE } } as Pod;
  const pods = Array.from({ length: random.int(5, 9) }, (_, i) => {
    const pod = somePod(random, `${name}-p${i + 1}`, [], false);
    const { priorityClassName: _anybody, ...spec } = pod.spec;
    return { ...pod, spec: { ...spec, schedulerName: random.pick([DEFAULT_SCHEDULER, BROAD_SCHEDULER]) } };
  });
  return { nodes, csiNodes: [], volumes: [], claims: [], pods: [first, ...pods] };
}

export const DEFAULT_SCHEDULER = 'default-scheduler';
/** A profile that evaluates more nodes of a large cluster. */
export const BROAD_SCHEDULER = 'broad';
export const BROAD_PERCENTAGE = 85;

const ANYWHERE = {
  terminationGracePeriodSeconds: 0,
  automountServiceAccountToken: false,
  containers: [{ name: 'c', image: 'registry.example/other:1' }],
};

function someNode(random: Random, name: string): Node {
  const labels = {
    [HOSTNAME]: name,
    ...chance(random, 0.8, () => ({ [ZONE]: random.pick(['x', 'y', 'z']) })),
    ...chance(random, 0.5, () => ({ disk: random.pick(['ssd', 'hdd']) })),
    ...chance(random, 0.3, () => ({ size: random.pick(['1', '5', '9']) })),
  };
  const amounts = {
    cpu: random.pick(['1', '2', '4', '3900m']),
    memory: random.pick(['2Gi', '4Gi', '7000Mi', '8123456Ki']),
    pods: random.pick(['3', '6', '110']),
    'ephemeral-storage': random.pick(['10Gi', '50Gi']),
    ...chance(random, 0.3, () => ({ 'example.com/card': '2' })),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {
      ...chance(random, 0.3, () => ({ taints: [random.pick(TAINTS)] })),
      ...chance(random, 0.08, () => ({ unschedulable: true })),
    },
    status: {
      capacity: amounts,
      allocatable: amounts,
      images: IMAGES.filter(() => random.next() < 0.4).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
    },
  };
}

function csiNode(name: string, count: number): CsiNode {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys: [], allocatable: { count } }] },
  };
}

function someVolume(random: Random, name: string): { volume: PersistentVolume; claim: PersistentVolumeClaim } {
  const accessModes = [random.pick(['ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'])];
  const capacity = { storage: '1Gi' };
  const zone = random.pick(['x', 'y', 'z']);
  const terms = [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone, random.pick(['x', 'y'])] }] }];
  const namespace = 'plain';
  const spec = {
    accessModes,
    capacity,
    csi: { driver: DRIVER, volumeHandle: name },
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name },
    storageClassName: 'none',
    ...chance(random, 0.5, () => ({ nodeAffinity: { required: { nodeSelectorTerms: terms } } })),
  };
  const labels = chance(random, 0.3, () => ({ [ZONE]: zone }));
  return {
    volume: { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, labels }, spec },
    claim: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { accessModes, resources: { requests: capacity }, storageClassName: 'none', volumeName: name },
    },
  };
}

function somePod(random: Random, name: string, claims: readonly PersistentVolumeClaim[], crowded: boolean): Pod {
  const namespace = random.pick(Object.keys(NAMESPACES));
  const withClaim = claims.length > 0 && namespace === 'plain' && random.next() < 0.5;
  const volumes = withClaim
    ? [{ name: 'v', persistentVolumeClaim: { claimName: random.pick(claims).metadata.name ?? '' } }]
    : [];
  const spec = {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: Array.from({ length: random.pick([1, 1, 2]) }, (_, i) => someContainer(random, `c${i}`, crowded)),
    ...chance(random, 0.15, () => ({ initContainers: [someContainer(random, 'init', crowded)] })),
    ...chance(random, crowded ? 0.6 : 0.2, () => ({ priorityClassName: random.pick(Object.keys(PRIORITIES)) })),
    ...chance(random, 0.3, () => ({ tolerations: [someToleration(random)] })),
    ...chance(random, 0.1, () => ({ nodeSelector: { disk: random.pick(['ssd', 'hdd']) } })),
    ...chance(random, 0.5, () => ({ affinity: someAffinity(random) })),
    ...chance(random, 0.35, () => ({ topologySpreadConstraints: [someSpread(random)] })),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
  const labels = {
    app: random.pick(APPS),
    ...chance(random, 0.3, () => ({ tier: random.pick(['1', '2']) })),
    ...chance(random, 0.5, () => ({ track: random.pick(['old', 'new']) })),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec };
}

function someContainer(random: Random, name: string, crowded: boolean) {
  const requests = {
    ...chance(random, 0.8, () => ({
      cpu: random.pick(crowded ? ['900m', '1', '1500m'] : ['10m', '100m', '333m', '1']),
    })),
    ...chance(random, 0.7, () => ({ memory: random.pick(['1Mi', '100Mi', '1000M', '1Gi']) })),
    ...chance(random, 0.15, () => ({ 'ephemeral-storage': '6Gi' })),
  };
  const card = chance(random, 0.08, () => ({ 'example.com/card': '1' }));
  return {
    name,
    image: random.pick([...IMAGES.map(([image]) => image), 'registry.example/other:1']),
    resources: { requests: { ...requests, ...card }, limits: card },
    ...chance(random, name === 'c0' ? 0.08 : 0, () => ({
      ports: [{ containerPort: 80, hostPort: random.pick([8080, 8081]) }],
    })),
  };
}

function someToleration(random: Random) {
  return random.pick([
    { operator: 'Exists' },
    { key: 'k', operator: 'Exists' },
    { key: 'k', value: 'v', effect: 'NoSchedule' },
    { key: 'l', operator: 'Exists', effect: 'PreferNoSchedule' },
    { key: 'm', operator: 'Exists', effect: 'NoExecute' },
  ]);
}

const selector = (random: Random) =>
  random.pick<object>([
    { matchLabels: { app: random.pick(APPS) } },
    { matchExpressions: [{ key: 'app', operator: random.pick(['In', 'NotIn']), values: [random.pick(APPS)] }] },
    { matchExpressions: [{ key: 'tier', operator: random.pick(['Exists', 'DoesNotExist']) }] },
  ]);

const term = (random: Random) => ({
  topologyKey: random.pick([HOSTNAME, ZONE, 'disk']),
  labelSelector: selector(random),
  ...chance(random, 0.2, () =>
    random.pick<object>([
      { namespaces: ['plain'] },
      { namespaceSelector: {} },
      { namespaceSelector: { matchLabels: { team: 'blue' } } },
    ]),
  ),
  ...chance(random, 0.1, () => ({ matchLabelKeys: ['track'] })),
});

const weight = (random: Random): number => random.pick([1, 7, 50, 100]);

function someAffinity(random: Random) {
  const nodeTerm = () => ({
    matchExpressions: [
      random.pick<object>([
        { key: 'disk', operator: random.pick(['In', 'NotIn']), values: ['ssd'] },
        { key: ZONE, operator: 'In', values: ['x', 'y'] },
        { key: 'size', operator: random.pick(['Gt', 'Lt']), values: ['4'] },
        { key: 'disk', operator: random.pick(['Exists', 'DoesNotExist']) },
      ]),
    ],
  });
  const peers = () => ({
    ...chance(random, 0.4, () => ({ [REQUIRED]: [term(random)] })),
    ...chance(random, 0.7, () => ({ [PREFERRED]: [{ weight: weight(random), podAffinityTerm: term(random) }] })),
  });
  return {
    ...chance(random, 0.5, () => ({
      nodeAffinity: {
        ...chance(random, 0.4, () => ({ [REQUIRED]: { nodeSelectorTerms: [nodeTerm(), nodeTerm()] } })),
        [PREFERRED]: [
          { weight: weight(random), preference: nodeTerm() },
          { weight: weight(random), preference: nodeTerm() },
        ],
      },
    })),
    ...chance(random, 0.4, () => ({ podAffinity: peers() })),
    ...chance(random, 0.4, () => ({ podAntiAffinity: peers() })),
  };
}

function someSpread(random: Random) {
  const whenUnsatisfiable = random.pick(['DoNotSchedule', 'ScheduleAnyway', 'ScheduleAnyway']);
  return {
    maxSkew: random.int(1, 2),
    topologyKey: random.pick([HOSTNAME, ZONE]),
    whenUnsatisfiable,
    labelSelector: selector(random),
    ...(whenUnsatisfiable === 'DoNotSchedule' ? chance(random, 0.3, () => ({ minDomains: 2 })) : {}),
    ...chance(random, 0.3, () => ({ nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) })),
    ...chance(random, 0.3, () => ({ nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) })),
    ...chance(random, 0.1, () => ({ matchLabelKeys: ['track'] })),
  };
}
