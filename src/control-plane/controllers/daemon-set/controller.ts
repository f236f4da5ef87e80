import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import {
  CONTROLLER_REVISIONS,
  type ControllerRevision,
  DAEMON_SETS,
  type DaemonSet,
} from '#platform/kube/kinds/workloads';
import { isNamespaceTerminating } from '#platform/kube/kube-error';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import { byController, controllerKey, uncontrolledIn } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { claimObjects } from '#platform/runtime/ownership/claim-objects';
import { REVISION_HASH, revisionsToPrune } from '#platform/runtime/revisions/revision-history';
import { deleteRevisions, type Revisions, syncRevisions } from '#platform/runtime/revisions/sync-revisions';
import { writeStatus } from '#platform/runtime/status';
import { adoptingOwners } from '../replicas/adopting-owners.ts';
import { deleteOwnedPod } from '../replicas/delete-owned-pod.ts';
import { nextAvailableMs } from '../replicas/pod-state.ts';
import { daemonPod, hashOf, targetNode } from './daemon-pod.ts';
import { type DaemonNode, daemonNodes, planDaemonSet } from './plan.ts';
import { ReplacementDelays } from './replacement-delays.ts';
import { daemonSetStatus } from './status.ts';

const HISTORY_LIMIT = 10;
/** Maximum number of pods created or deleted in one reconciliation. */
const BURST = 250;

/** Maintains one pod of every DaemonSet on each node that it selects. */
export function daemonSetController(): Controller<DaemonSet> {
  const state = { pods: new Expectations(), revisions: new Expectations(), delays: new ReplacementDelays() };
  return {
    name: 'daemon set',
    for: DAEMON_SETS,
    owns: [PODS, CONTROLLER_REVISIONS],
    watches: [
      adoptingOwners(DAEMON_SETS, ({ spec }) => labelSelectorOf(spec.selector)),
      watchSource(NODES, (_node, { cache }) => [...cache(DAEMON_SETS).all()].map(keyOf)),
    ],
    async reconcile(set, context) {
      const key = keyOf(set);
      const { cache, client } = context;
      if (!state.pods.met(key, cache(PODS)) || !state.revisions.met(key, cache(CONTROLLER_REVISIONS))) return undefined;
      const revisions = await syncRevisions(DAEMON_SETS, set, context, state.revisions);
      const known = cache(PODS);
      const near = [
        ...known.by(byController, controllerKey(set)),
        ...known.by(uncontrolledIn, set.metadata.namespace ?? ''),
      ];
      const selector = labelSelectorOf(set.spec.selector);
      const claiming = { client, ownerType: DAEMON_SETS, owner: set, type: PODS, selector, expectations: state.pods };
      const own = await claimObjects(claiming, near);
      return await new DaemonRun(set, own, revisions, context, state).run();
    },
    forget(key) {
      for (const each of Object.values(state)) each.forget(key);
    },
  };
}

interface RunState {
  readonly pods: Expectations;
  readonly delays: ReplacementDelays;
}

/** One reconciliation of one DaemonSet. */
class DaemonRun {
  readonly #set: DaemonSet;
  readonly #pods: readonly Pod[];
  readonly #revisions: Revisions;
  readonly #context: Context;
  readonly #state: RunState;

  constructor(set: DaemonSet, pods: readonly Pod[], revisions: Revisions, context: Context, state: RunState) {
    this.#set = set;
    this.#pods = pods;
    this.#revisions = revisions;
    this.#context = context;
    this.#state = state;
  }

  async run() {
    const { client, cache, clock } = this.#context;
    const nodes = daemonNodes(this.#set, cache(NODES).all(), this.#pods);
    const delayed = this.#set.metadata.deletionTimestamp === undefined ? await this.#act(nodes) : undefined;
    const now = clock.now();
    await writeStatus(client, DAEMON_SETS, this.#set, daemonSetStatus(this.#set, nodes, this.#revisions.update, now));
    await this.#prune();
    const waits = [delayed, nextAvailableMs(this.#pods, this.#set.spec.minReadySeconds, now)].filter(
      (wait) => wait !== undefined,
    );
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
  }

  /** Carries out the plan. Returns the time after which a failed pod may be replaced. */
  async #act(nodes: readonly DaemonNode[]): Promise<number | undefined> {
    const now = this.#context.clock.now();
    const plan = planDaemonSet(this.#set, nodes, this.#revisions.update, now);
    const waits = new Map(plan.failed.map((pod) => [pod, this.#waitFor(pod, now)]));
    const due = plan.delete.filter((pod) => (waits.get(pod) ?? 0) === 0);
    for (const pod of due.slice(0, BURST)) await this.#delete(pod);
    await this.#create(plan.create.slice(0, BURST));
    const ahead = [...waits.values()].filter((wait) => wait > 0);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  #waitFor(pod: Pod, now: number): number {
    return this.#state.delays.waitFor(keyOf(this.#set), targetNode(pod) ?? '', pod.metadata.uid ?? '', now);
  }

  async #create(nodes: readonly string[]): Promise<void> {
    const { client, events } = this.#context;
    for (const node of nodes) {
      try {
        const pod = await client.create(PODS, daemonPod(this.#set, node, this.#revisions.update));
        this.#state.pods.wrote(keyOf(this.#set), pod);
        events.event(this.#set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        events.event(this.#set, 'Warning', 'FailedCreate', `Error creating: ${(error as Error).message}`);
        throw error;
      }
    }
  }

  async #delete(pod: Pod): Promise<void> {
    const { client, events } = this.#context;
    const isDeleted = await deleteOwnedPod(client, pod, keyOf(this.#set), this.#state.pods);
    if (isDeleted) events.event(this.#set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  async #prune(): Promise<void> {
    const { update, history } = this.#revisions;
    const used = new Set([hashOf(update), ...this.#pods.map(({ metadata }) => metadata.labels?.[REVISION_HASH])]);
    const isUsed = (revision: ControllerRevision) => used.has(hashOf(revision));
    const limit = this.#set.spec.revisionHistoryLimit ?? HISTORY_LIMIT;
    await deleteRevisions(revisionsToPrune(history, isUsed, limit), this.#context.client);
  }
}
