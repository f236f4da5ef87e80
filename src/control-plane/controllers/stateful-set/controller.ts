import { jsonEqual } from '#platform/base/json-equal';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import {
  CONTROLLER_REVISIONS,
  type ControllerRevision,
  STATEFUL_SETS,
  type StatefulSet,
} from '#platform/kube/kinds/workloads';
import { isAlreadyExists } from '#platform/kube/kube-error';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import { byController, controllerKey, uncontrolledIn } from '#platform/runtime/cache';
import { type Context, type Controller } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyIn, keyOf } from '#platform/runtime/key';
import { claimObjects } from '#platform/runtime/ownership/claim-objects';
import { revisionsToPrune } from '#platform/runtime/revisions/revision-history';
import { deleteRevisions, type Revisions, syncRevisions } from '#platform/runtime/revisions/sync-revisions';
import { writeStatus } from '#platform/runtime/status';
import { adoptingOwners } from '../replicas/adopting-owners.ts';
import { deleteOwnedPod } from '../replicas/delete-owned-pod.ts';
import { nextAvailableMs } from '../replicas/pod-state.ts';
import { ordinalOf, ordinalsOf } from './ordinal.ts';
import { planStatefulSet, revisionNameOf, type SetRevisions } from './plan.ts';
import { claimOwners } from './retained-claims.ts';
import { identifiedPod, setClaims, statefulPod } from './stateful-pod.ts';
import { statefulSetStatus } from './status.ts';

const HISTORY_LIMIT = 10;

/** Maintains the pods of StatefulSets, each with a name and claims of its own. */
export function statefulSetController(): Controller<StatefulSet> {
  const expectations = { pods: new Expectations(), revisions: new Expectations() };
  return {
    name: 'stateful set',
    for: STATEFUL_SETS,
    owns: [PODS, CONTROLLER_REVISIONS],
    reads: [PERSISTENT_VOLUME_CLAIMS],
    watches: [adoptingOwners(STATEFUL_SETS, ({ spec }) => labelSelectorOf(spec.selector))],
    async reconcile(set, context) {
      const key = keyOf(set);
      const { cache, client } = context;
      if (!expectations.pods.met(key, cache(PODS))) return undefined;
      if (!expectations.revisions.met(key, cache(CONTROLLER_REVISIONS))) return undefined;
      const revisions = await syncRevisions(STATEFUL_SETS, set, context, expectations.revisions);
      const { namespace = '' } = set.metadata;
      const known = cache(PODS);
      const near = [...known.by(byController, controllerKey(set)), ...known.by(uncontrolledIn, namespace)];
      const named = near.filter((pod) => ordinalOf(set, pod) !== undefined);
      const selector = labelSelectorOf(set.spec.selector);
      const claiming = { client, ownerType: STATEFUL_SETS, owner: set, type: PODS, selector };
      const own = await claimObjects({ ...claiming, expectations: expectations.pods }, named);
      return await new StatefulRun(set, own, revisions, context, expectations.pods).run();
    },
    forget(key) {
      expectations.pods.forget(key);
      expectations.revisions.forget(key);
    },
  };
}

/** One reconciliation of one StatefulSet. */
class StatefulRun {
  readonly #set: StatefulSet;
  readonly #pods: readonly Pod[];
  readonly #history: readonly ControllerRevision[];
  readonly #revisions: SetRevisions;
  readonly #context: Context;
  readonly #expectations: Expectations;

  constructor(
    set: StatefulSet,
    pods: readonly Pod[],
    revisions: Revisions,
    context: Context,
    expectations: Expectations,
  ) {
    this.#set = set;
    this.#pods = pods;
    this.#context = context;
    this.#expectations = expectations;
    const { update, history } = revisions;
    this.#history = history;
    const current = history.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
    this.#revisions = { current, update };
  }

  async run() {
    const { client, clock } = this.#context;
    if (this.#set.metadata.deletionTimestamp === undefined) await this.#act();
    const now = clock.now();
    await writeStatus(client, STATEFUL_SETS, this.#set, statefulSetStatus(this.#set, this.#pods, this.#revisions, now));
    await this.#prune();
    const requeueAfterMs = nextAvailableMs(this.#pods, this.#set.spec.minReadySeconds, now);
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  async #act(): Promise<void> {
    const plan = planStatefulSet(this.#set, this.#pods, this.#revisions, this.#context.clock.now());
    for (const { pod, ordinal } of plan.keep) await this.#keep(pod, ordinal);
    for (const { ordinal, revision } of plan.create) await this.#create(ordinal, revision);
    await this.#syncClaimOwners();
    for (const pod of plan.delete) await this.#delete(pod);
  }

  async #keep(pod: Pod, ordinal: number): Promise<void> {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    await this.#createClaims(pod.metadata.name ?? '');
    const identified = identifiedPod(pod, ordinal);
    if (identified !== undefined) this.#note(await this.#context.client.update(PODS, identified));
  }

  async #create(ordinal: number, revision: ControllerRevision): Promise<void> {
    const { client, events } = this.#context;
    const pod = statefulPod(this.#set, ordinal, revision);
    const { name = '' } = pod.metadata;
    const what = `Pod ${name} in StatefulSet ${this.#set.metadata.name}`;
    try {
      await this.#createClaims(name);
      this.#note(await client.create(PODS, pod));
      events.event(this.#set, 'Normal', 'SuccessfulCreate', `create ${what} successful`);
    } catch (error) {
      // The pod exists and the cache lacks it yet, or it belongs to another: its deletion wakes this set.
      if (isAlreadyExists(error)) return;
      events.event(this.#set, 'Warning', 'FailedCreate', `create ${what} failed error: ${(error as Error).message}`);
      throw error;
    }
  }

  async #createClaims(pod: string): Promise<void> {
    const { client, cache, events } = this.#context;
    for (const claim of setClaims(this.#set, pod)) {
      const { name = '', namespace } = claim.metadata;
      if (cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(namespace, name)) !== undefined) continue;
      try {
        await client.create(PERSISTENT_VOLUME_CLAIMS, claim);
        const message = `create Claim ${name} Pod ${pod} in StatefulSet ${this.#set.metadata.name} success`;
        events.event(this.#set, 'Normal', 'SuccessfulCreate', message);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
  }

  async #delete(pod: Pod): Promise<void> {
    const { client, events } = this.#context;
    const isDeleted = await deleteOwnedPod(client, pod, keyOf(this.#set), this.#expectations);
    if (isDeleted)
      events.event(
        this.#set,
        'Normal',
        'SuccessfulDelete',
        `delete Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name} successful`,
      );
  }

  /** Carries out the retention policy of the claims, before a pod that owns one is deleted. */
  async #syncClaimOwners(): Promise<void> {
    if (this.#set.spec.persistentVolumeClaimRetentionPolicy === undefined) return;
    const { client, cache } = this.#context;
    const { start, end } = ordinalsOf(this.#set);
    for (const pod of this.#pods) {
      const ordinal = ordinalOf(this.#set, pod) ?? start;
      for (const { metadata } of setClaims(this.#set, pod.metadata.name ?? '')) {
        const claim = cache(PERSISTENT_VOLUME_CLAIMS).get(keyIn(metadata.namespace, metadata.name ?? ''));
        if (claim === undefined) continue;
        const ownerReferences = claimOwners(this.#set, pod, ordinal < start || ordinal >= end, claim);
        if (jsonEqual(ownerReferences, claim.metadata.ownerReferences ?? [])) continue;
        await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
      }
    }
  }

  async #prune(): Promise<void> {
    const used = new Set([
      this.#revisions.current.metadata.name,
      this.#revisions.update.metadata.name,
      ...this.#pods.map(revisionNameOf),
    ]);
    const isUsed = ({ metadata }: ControllerRevision) => used.has(metadata.name);
    const limit = this.#set.spec.revisionHistoryLimit ?? HISTORY_LIMIT;
    await deleteRevisions(revisionsToPrune(this.#history, isUsed, limit), this.#context.client);
  }

  #note(pod: Pod): void {
    this.#expectations.wrote(keyOf(this.#set), pod);
  }
}
