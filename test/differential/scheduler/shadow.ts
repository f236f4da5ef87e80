import { buildProfile } from '#control-plane/scheduler/config/build-profile';
import type { Attempt } from '#control-plane/scheduler/framework/attempt';
import type { ClusterView } from '#control-plane/scheduler/framework/cluster-view';
import { fitMessage } from '#control-plane/scheduler/framework/diagnosis';
import { Placer } from '#control-plane/scheduler/framework/placer';
import { Rotation } from '#control-plane/scheduler/framework/sampling';
import { schedulerHarness } from '#control-plane/scheduler/harness.fixture';
import { podInfoOf } from '#control-plane/scheduler/pod/pod-info';
import { selectorOf } from '#control-plane/scheduler/pod/selector-cache';
import { preempt } from '#control-plane/scheduler/preemption/preempt';
import { NominatedPods } from '#control-plane/scheduler/queue/nominated-pods';
import { podVolumeClaimsOf } from '#control-plane/scheduler/volumes/pod-volume-claims';
import { findPodVolumes } from '#control-plane/scheduler/volumes/pod-volumes';
import type { Random } from '#platform/base/random';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { Decision, Eviction, Scores } from './decision.ts';
import { BROAD_PERCENTAGE, BROAD_SCHEDULER, NAMESPACES, type RandomCluster, SERVED } from './random-cluster.ts';
import { CLASSES } from './random-storage.ts';
import { claimNamesOf } from './volume-controller.ts';

/** State of a cluster before a pod is created, read from the API server. */
export interface Standing extends Pick<RandomCluster, 'csiNodes' | 'volumes' | 'claims'> {
  readonly nodes: readonly Node[];
  /** Scheduled pods. */
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
}

const PROFILE = buildProfile();
const BROAD_PROFILE = { ...PROFILE, percentageOfNodesToScore: BROAD_PERCENTAGE };

/** Returns the decision of our scheduler about a pod, with the search starting at the rotation, which is advanced. */
export function decide(standing: Standing, pod: Pod, rotation = new Rotation()): Decision {
  const around = environmentOf(standing);
  const profile = pod.spec.schedulerName === BROAD_SCHEDULER ? BROAD_PROFILE : PROFILE;
  const nominator = new NominatedPods(around.nodes);
  const attempt = new Placer({ profile, cluster: around, nominator, rotation }).place(podInfoOf(pod));
  if (attempt.chosen === undefined) return refused(attempt, around, standing.budgets);
  const named = (slot: number) => around.nodes.nameAt(slot);
  const chosen = named(attempt.chosen);
  const feasible = [...attempt.feasible.subarray(0, attempt.feasibleCount)];
  if (feasible.length === 1) return { chosen, nodes: feasible.map(named), scores: new Map() };
  const totals = feasible.map((_, i) => attempt.totals[i] ?? 0);
  const most = Math.max(...totals);
  return {
    chosen,
    nodes: feasible.filter((_, i) => totals[i] === most).map(named),
    scores: scoresOf(attempt, feasible.map(named)),
  };
}

/** Returns every rotation at which the search for a pod evaluates exactly these nodes. */
export function rotationsThatMeet(nodes: ReadonlySet<string>, standing: Standing, pod: Pod): Rotation[] {
  const { length } = standing.nodes;
  return Array.from({ length }, (_, start) => start)
    .filter((start) => {
      const decision = decide(standing, pod, rotationFrom(start, length));
      return 'scores' in decision && new Set(decision.scores.keys()).symmetricDifference(nodes).size === 0;
    })
    .map((start) => rotationFrom(start, length));
}

function rotationFrom(start: number, nodes: number): Rotation {
  const rotation = new Rotation();
  rotation.advance(start, nodes);
  return rotation;
}

/**
 * Returns what our scheduler would do for the claims of a pod on a node, by claim: the name of a volume, or '' to
 * provision one.
 */
export function volumesOn(standing: Standing, pod: Pod, name: string): Record<string, string> {
  const { storage } = environmentOf(standing);
  const node = standing.nodes.find(({ metadata }) => metadata.name === name);
  const claims = podVolumeClaimsOf(podInfoOf(pod), storage);
  const plan = node === undefined || typeof claims === 'string' ? '' : findPodVolumes(claims, node, storage);
  if (typeof plan === 'string') return {};
  return Object.fromEntries([
    ...plan.bind.map(({ claim, volume }) => [claim.metadata.name, volume.metadata.name]),
    ...plan.provision.map(({ metadata }) => [metadata.name, '']),
  ]);
}

/** Reports whether a pod has claims that wait for it. */
export function hasDelayedClaims({ claims }: Standing, pod: Pod): boolean {
  const names = new Set(claimNamesOf(pod));
  return claims.some(({ metadata, spec }) => names.has(metadata.name ?? '') && (spec.volumeName ?? '') === '');
}

function environmentOf({ nodes, pods, volumes, claims, csiNodes }: Standing): ClusterView {
  const placed: Record<string, Pod[]> = {};
  for (const pod of pods) (placed[pod.spec.nodeName ?? ''] ??= []).push(pod);
  const around = schedulerHarness({
    nodes,
    pods: placed,
    namespaces: NAMESPACES,
    volumes,
    claims,
    classes: CLASSES,
    csiNodes,
  });
  const selector = selectorOf({ matchLabels: SERVED });
  return {
    ...around,
    peersOf: ({ namespace, labels }) => (namespace === 'served' && selector?.matches(labels) ? selector : undefined),
  };
}

function scoresOf({ scored }: Attempt, names: readonly string[]): Scores {
  return new Map(
    names.map((name, i) => [
      name,
      new Map(scored.map(({ plugin, normalised }) => [plugin.score.name, plugin.weight * (normalised[i] ?? 0)])),
    ]),
  );
}

/** The search for preemption candidates starts at a random node, so all possible results are collected. */
function refused(attempt: Attempt, { nodes }: ClusterView, budgets: readonly PodDisruptionBudget[]): Decision {
  const { diagnosis } = attempt;
  if (diagnosis === undefined || PROFILE.preemption === undefined) throw new Error('nobody says why no node suits');
  const evictions = new Map<string, Eviction>();
  let message = '';
  for (let start = 0; start < Math.max(1, attempt.refusedCount); start++) {
    const from = { int: (_least: number, most: number) => Math.min(start, most) } as unknown as Random;
    const outcome = preempt(attempt, PROFILE.preemption, nodes, budgets, from);
    message = fitMessage(diagnosis, outcome.victims === undefined ? outcome.message : '');
    if (outcome.victims === undefined) break;
    const victims = outcome.victims.map(({ pod }) => pod.metadata.name ?? '').sort();
    const found = { node: nodes.nameAt(outcome.slot), victims };
    evictions.set(JSON.stringify(found), found);
  }
  return { message, evictions: [...evictions.values()] };
}
