import type { Pod } from '#platform/kube/kinds/pod';
import { type ControllerRevision, partOfWhole, type StatefulSet } from '#platform/kube/kinds/workloads';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';
import { availableIn, isDeletionRequested, isReady } from '../replicas/pod-state.ts';
import { ordinalOf, ordinalsOf } from './ordinal.ts';

/** Next actions for a StatefulSet. */
export interface StatefulPlan {
  readonly create: readonly { readonly ordinal: number; readonly revision: ControllerRevision }[];
  readonly delete: readonly Pod[];
  /** Existing pods, which must have the labels of their identity and their claims. */
  readonly keep: readonly { readonly ordinal: number; readonly pod: Pod }[];
}

/** Revisions of a set: `current` is that of the pods before a rollout, `update` that of its template. */
export interface SetRevisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

type Draft = { readonly [Part in keyof StatefulPlan]: StatefulPlan[Part][number][] };

/**
 * Plans the next step of a StatefulSet: missing pods first, then those that are too many, then those of an older
 * revision. Unless the policy is Parallel, a step waits until all pods before it are available.
 */
export function planStatefulSet(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: SetRevisions,
  now: number,
): StatefulPlan {
  return new Planner(set, pods, revisions, now).plan();
}

class Planner {
  readonly #set: StatefulSet;
  readonly #revisions: SetRevisions;
  readonly #now: number;
  readonly #ordered: boolean;
  readonly #byOrdinal: ReadonlyMap<number, Pod>;
  readonly #draft: Draft = { create: [], delete: [], keep: [] };

  constructor(set: StatefulSet, pods: readonly Pod[], revisions: SetRevisions, now: number) {
    this.#set = set;
    this.#revisions = revisions;
    this.#now = now;
    this.#ordered = set.spec.podManagementPolicy !== 'Parallel';
    const named = pods.map((pod) => [ordinalOf(set, pod), pod] as const);
    this.#byOrdinal = new Map(named.filter((entry): entry is [number, Pod] => entry[0] !== undefined));
  }

  plan(): StatefulPlan {
    if (this.#fill() && this.#shrink()) this.#roll();
    return this.#draft;
  }

  /** Creates missing pods. Reports whether later steps may follow. */
  #fill(): boolean {
    const { start, end } = ordinalsOf(this.#set);
    for (let ordinal = start; ordinal < end; ordinal++) {
      const pod = this.#byOrdinal.get(ordinal);
      if (pod === undefined) this.#draft.create.push({ ordinal, revision: this.#revisionFor(ordinal) });
      else this.#draft.keep.push({ ordinal, pod });
      if (pod !== undefined && isFinished(pod) && !isDeletionRequested(pod)) this.#draft.delete.push(pod);
      const settled = pod !== undefined && this.#isHealthy(pod);
      if (!settled && this.#ordered) return false;
    }
    return this.#draft.create.length === 0 && this.#draft.delete.length === 0;
  }

  /** Deletes pods beyond the number of replicas, the highest ordinal first. */
  #shrink(): boolean {
    const { start, end } = ordinalsOf(this.#set);
    const surplus = [...this.#byOrdinal]
      .filter(([ordinal]) => ordinal < start || ordinal >= end)
      .sort(([a], [b]) => b - a)
      .map(([, pod]) => pod);
    for (const pod of surplus) {
      if (isDeletionRequested(pod)) {
        if (this.#ordered) return false;
        continue;
      }
      this.#draft.delete.push(pod);
      if (this.#ordered) return false;
    }
    return this.#draft.delete.length === 0;
  }

  /** Deletes pods of an older revision, the highest ordinal first, as many at a time as may be unavailable. */
  #roll(): void {
    const { type, rollingUpdate = {} } = this.#set.spec.updateStrategy ?? {};
    if (type === 'OnDelete') return;
    const { start, end } = ordinalsOf(this.#set);
    const replicas = end - start;
    const budget = Math.max(1, partOfWhole(rollingUpdate.maxUnavailable ?? 1, replicas, 'down'));
    let unavailable = 0;
    for (let ordinal = end - 1; ordinal >= start; ordinal--) {
      const pod = this.#byOrdinal.get(ordinal);
      if (pod !== undefined && !this.#isHealthy(pod)) unavailable++;
    }
    for (let ordinal = end - 1; ordinal >= start + (rollingUpdate.partition ?? 0); ordinal--) {
      const pod = this.#byOrdinal.get(ordinal);
      if (pod === undefined || isDeletionRequested(pod)) continue;
      const isOld = revisionNameOf(pod) !== this.#revisions.update.metadata.name;
      // A broken pod of an older revision is replaced at once: it is unavailable anyway.
      if (isOld && !this.#isHealthy(pod)) this.#draft.delete.push(pod);
      else if (isOld && unavailable < budget) {
        unavailable++;
        this.#draft.delete.push(pod);
      }
      if (unavailable >= budget) return;
    }
  }

  /** Returns the revision of a new pod: during a rollout, those not reached yet keep the older one. */
  #revisionFor(ordinal: number): ControllerRevision {
    const { current, update } = this.#revisions;
    const { type, rollingUpdate } = this.#set.spec.updateStrategy ?? {};
    if (type === 'OnDelete') return update;
    const { start } = ordinalsOf(this.#set);
    const kept = rollingUpdate?.partition ?? this.#set.status?.currentReplicas ?? 0;
    return ordinal < start + kept ? current : update;
  }

  #isHealthy(pod: Pod): boolean {
    if (isDeletionRequested(pod) || pod.status?.phase !== 'Running') return false;
    return availableIn(pod, this.#set.spec.minReadySeconds ?? 0, this.#now) === 0;
  }
}

const isFinished = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';
export const revisionNameOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[REVISION_HASH];
export const isRunningAndReady = (pod: Pod): boolean => pod.status?.phase === 'Running' && isReady(pod);
