import type { Random } from '../../../src/base/random.ts';
import type { Node } from '../../../src/kube/kinds/node.ts';
import type { Pod } from '../../../src/kube/kinds/pod.ts';
import type { PodDisruptionBudget } from '../../../src/kube/kinds/policy.ts';
import { buildProfile } from '../../../src/scheduler/config/build-profile.ts';
import type { Attempt } from '../../../src/scheduler/framework/attempt.ts';
import { fitMessage } from '../../../src/scheduler/framework/diagnosis.ts';
import type { Surroundings } from '../../../src/scheduler/framework/surroundings.ts';
import { podInfoOf } from '../../../src/scheduler/pod/pod-info.ts';
import { selectorOf } from '../../../src/scheduler/pod/selector-cache.ts';
import { preempt } from '../../../src/scheduler/preemption/preempt.ts';
import { placerOf, world } from '../../../src/scheduler/world.fixture.ts';
import type { Decision, Eviction, Scores } from './decision.ts';
import { NAMESPACES, type RandomCluster, SERVED } from './random-cluster.ts';

/** A cluster as it stands before a pod comes: what the API server tells of it. */
export interface Standing extends Pick<RandomCluster, 'csiNodes' | 'volumes' | 'claims'> {
  readonly nodes: readonly Node[];
  /** Those that are on nodes. */
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
}

const PROFILE = buildProfile();

/** What our scheduler decides about a pod. */
export function decide(standing: Standing, pod: Pod): Decision {
  const around = surroundingsOf(standing);
  const attempt = placerOf(around, PROFILE).placer.place(podInfoOf(pod));
  if (attempt.chosen === undefined) return refused(attempt, around, standing.budgets);
  const named = (slot: number) => around.nodes.nameAt(slot);
  const feasible = [...attempt.feasible.subarray(0, attempt.feasibleCount)];
  if (feasible.length === 1) return { nodes: feasible.map(named), scores: new Map() };
  const totals = feasible.map((_, i) => attempt.totals[i] ?? 0);
  const most = Math.max(...totals);
  return {
    nodes: feasible.filter((_, i) => totals[i] === most).map(named),
    scores: scoresOf(attempt, feasible.map(named)),
  };
}

function surroundingsOf({ nodes, pods, volumes, claims, csiNodes }: Standing): Surroundings {
  const placed: Record<string, Pod[]> = {};
  for (const pod of pods) (placed[pod.spec.nodeName ?? ''] ??= []).push(pod);
  const around = world({ nodes, pods: placed, namespaces: NAMESPACES, volumes, claims, csiNodes });
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

/** The search for nodes to make room on begins anywhere, so that all it may end with is looked for. */
function refused(attempt: Attempt, { nodes }: Surroundings, budgets: readonly PodDisruptionBudget[]): Decision {
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
