import type { Node, Taint } from '#platform/kube/kinds/node';
import type { Pod, PodSpec, ResourceList } from '#platform/kube/kinds/pod';
import type { CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '#platform/kube/kinds/storage';
import { storageClassNameOf } from '#platform/kube/kinds/volume-binding';
import { keyOf } from '#platform/runtime/key';
import { buildProfile } from './config/build-profile.ts';
import type { ClusterView } from './framework/cluster-view.ts';
import type { Filter } from './framework/filter.ts';
import { Placer } from './framework/placer.ts';
import type { Profile } from './framework/profile.ts';
import { Rotation } from './framework/sampling.ts';
import type { Score } from './framework/score.ts';
import { type PodInfo, podInfoOf } from './pod/pod-info.ts';
import { selectorOf } from './pod/selector-cache.ts';
import { NominatedPods } from './queue/nominated-pods.ts';
import { Snapshot } from './snapshot/snapshot.ts';

/** Builds small clusters for tests, without a server. */

export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';

export interface NodeOptions {
  readonly labels?: Record<string, string>;
  readonly allocatable?: ResourceList;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly images?: Readonly<Record<string, number>>;
}

export function node(name: string, parts: NodeOptions = {}): Node {
  const { labels = {}, allocatable = {}, taints = [], unschedulable = false, images = {} } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [HOSTNAME]: name, ...labels } },
    spec: { taints, unschedulable },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable },
      images: Object.entries(images).map(([image, sizeBytes]) => ({ names: [image], sizeBytes })),
    },
  };
}

export interface PodOptions extends Partial<PodSpec> {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly requests?: ResourceList;
  readonly image?: string;
  readonly status?: Pod['status'];
  readonly deleted?: boolean;
}

export function pod(name: string, parts: PodOptions = {}): Pod {
  const { namespace = 'default', labels = {}, requests = {}, image = 'i:1', status = {}, deleted, ...spec } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      labels,
      ...(deleted === true ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [{ name: 'c', image, resources: { requests } }], ...spec },
    status,
  };
}

export interface HarnessOptions {
  readonly nodes?: readonly Node[];
  /** Pods by the name of their node. */
  readonly pods?: Readonly<Record<string, readonly Pod[]>>;
  readonly namespaces?: Readonly<Record<string, Record<string, string>>>;
  /** Labels by which a Service selects pods. */
  readonly service?: Record<string, string>;
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CsiNode[];
}

export function schedulerHarness(parts: HarnessOptions = {}): ClusterView {
  const nodes = new Snapshot();
  for (const each of parts.nodes ?? []) nodes.setNode(each);
  for (const [name, pods] of Object.entries(parts.pods ?? {}))
    for (const each of pods) nodes.setPod(podInfoOf(each), name);
  const { namespaces = { default: {} }, service, claims = [], volumes = [], classes = [], csiNodes = [] } = parts;
  const named = <T extends { readonly metadata: { name?: string } }>(objects: readonly T[], name: string) =>
    objects.find(({ metadata }) => metadata.name === name);
  return {
    nodes,
    storage: {
      claim: (key) => claims.find((claim) => keyOf(claim) === key),
      volume: (name) => named(volumes, name),
      storageClass: (name) => named(classes, name),
      freeVolumes: (className) => volumes.filter((volume) => storageClassNameOf(volume) === className),
      csiNode: (name) => named(csiNodes, name),
    },
    namespaceLabels: (name) => namespaces[name],
    namespaces: () => Object.entries(namespaces).map(([name, labels]) => ({ name, labels })),
    peersOf: ({ labels }) => {
      const selector = service === undefined ? undefined : selectorOf({ matchLabels: service });
      return selector?.matches(labels) === true ? selector : undefined;
    },
  };
}

/**
 * Returns the filter result of each node by name: '' if it is feasible. Returns '-' if the filter does not apply to the
 * pod.
 */
export function filterResults(filter: Filter, candidate: Pod, cluster: ClusterView): Record<string, string> | string {
  const prepared = filter.prepare(podInfoOf(candidate), cluster);
  if (prepared === undefined) return '-';
  if ('refusal' in prepared) return prepared.refusal.reasons.join(', ');
  const { slots, names } = cluster.nodes.order;
  return Object.fromEntries(names.map((name, i) => [name, prepared.check(slots[i] ?? 0)?.reasons.join(', ') ?? '']));
}

export interface Scores {
  readonly raw: Record<string, number>;
  readonly normalised: Record<string, number>;
}

/** Returns the scores of all nodes by name, undefined if the score does not apply. */
export function scoresOf(score: Score, candidate: Pod, cluster: ClusterView): Scores | undefined {
  const { slots, names } = cluster.nodes.order;
  const prepared = score.prepare(podInfoOf(candidate), cluster, { slots, count: slots.length });
  if (prepared === undefined) return undefined;
  const figures = new Float64Array(slots.length);
  const byName = () => Object.fromEntries(names.map((name, i) => [name, figures[i] ?? 0]));
  prepared.raw(figures);
  const raw = byName();
  prepared.normalize?.(figures);
  return { raw, normalised: byName() };
}

export interface TestPlacer {
  readonly placer: Placer;
  readonly nominated: NominatedPods;
}

export function placerOf(cluster: ClusterView, profile: Profile = buildProfile()): TestPlacer {
  const nominated = new NominatedPods(cluster.nodes);
  const placer = new Placer({ profile, cluster, nominator: nominated, rotation: new Rotation() });
  return { placer, nominated };
}

/** Returns the name of the node that is chosen for a pod. */
export function chosenFor(candidate: Pod, cluster: ClusterView, profile?: Profile): string | undefined {
  const { chosen } = placerOf(cluster, profile).placer.place(podInfoOf(candidate));
  return chosen === undefined ? undefined : cluster.nodes.nameAt(chosen);
}

export const infoOf = (name: string, parts: PodOptions = {}): PodInfo => podInfoOf(pod(name, parts));
