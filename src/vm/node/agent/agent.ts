import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL } from '#api/launcher';
import type { Clock } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { isConflict } from '#platform/kube/kube-error';
import type { Cache, Change, Index } from '#platform/runtime/cache';
import { type EventRecorder, noopRecorder } from '#platform/runtime/events/event-recorder';
import type { Informers } from '#platform/runtime/informers';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { type ReconcileResult, WorkQueue } from '#platform/runtime/work-queue';
import { isAlive } from '../machine-driver.ts';
import { isPodTerminated } from '../pod/pod-status.ts';
import type { Addresses } from './addresses.ts';
import type { ContainerLogs } from './container-logs.ts';
import { DoubtedMachines } from './doubted-machines.ts';
import { Launchers } from './launchers.ts';
import type { ManagedNode, ManagedNodes, NodeHooks } from './managed-node.ts';
import { RestoreGate } from './restore-gate.ts';
import { RestoreResponses } from './restore-responses.ts';
import { instanceKeyOf, isLauncher, podsByInstance, roleOf } from './role.ts';
import { CAUSES } from './termination.ts';
import { ifNotCached, isKnown, newest, newTrackedPod, type TrackedPod } from './tracked-pod.ts';
import { TrackedPods } from './tracked-pods.ts';

/** Runs pods that hold no machine. */
export interface PodRunner {
  reconcile(run: TrackedPod, pod: Pod, host: ManagedNode): Promise<ReconcileResult | undefined>;
  forget(run: TrackedPod): void;
}

export interface AgentDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events?: EventRecorder;
  readonly hosts: ManagedNodes;
  readonly hooks: NodeHooks;
  readonly addresses: Addresses;
  readonly logs: ContainerLogs;
  /** If unset, only launcher pods are managed. */
  readonly podRunner?: PodRunner;
}

/** Indexes pods by the node that they are bound to. */
export const podsByNode: Index<Pod> = {
  values: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};

/** Reconciliations mostly wait for writes, and a store commits many of them at once. */
const CONCURRENCY = 256;
/** A node agent that cannot reach its server must resume soon after it can. */
const BACK_OFF = { first: 20, max: 10_000 };

/**
 * Runs what is bound to its nodes, one or thousands. The unit of work is a pod: every change of the pod, its instance
 * or its machine triggers a reconciliation of all three.
 */
export class Agent implements Runnable {
  readonly name = 'node agent';
  readonly #parts: AgentDeps;
  readonly #pods: Cache<Pod>;
  readonly #queue: WorkQueue;
  readonly #launchers: Launchers;
  readonly #runs = new TrackedPods();
  readonly #gate = new RestoreGate();
  readonly #restores: RestoreResponses;
  readonly #doubted = new DoubtedMachines();
  readonly #instances: Cache<Vmi>;

  constructor(parts: AgentDeps) {
    this.#parts = parts;
    const { informers, client, clock, random, log, events = noopRecorder } = parts;
    const { logs, addresses, hooks } = parts;
    this.#pods = informers.of(PODS).cache;
    this.#instances = informers.of(VMIS).cache;
    this.#launchers = new Launchers({
      client,
      clock,
      events,
      logs,
      addresses,
      hooks,
      pods: this.#pods,
      instances: this.#instances,
      claims: informers.of(PERSISTENT_VOLUME_CLAIMS).cache,
      wake: (key) => this.#queue.add(key),
      isElsewhere: (machine, node) => this.#gate.isElsewhere(machine, node),
    });
    this.#restores = new RestoreResponses({ ...parts, gate: this.#gate, sweep: (host) => this.sweep(host) });
    this.#queue = new WorkQueue({
      name: this.name,
      clock,
      random: random.fork(this.name),
      concurrency: CONCURRENCY,
      backOff: BACK_OFF,
      work: (key) => this.#work(key),
      onFailure(key, error, retryInMs) {
        const fallback = error instanceof TemporaryError || isConflict(error);
        log[fallback ? 'debug' : 'warn']({ pod: key, err: error, retryInMs }, 'failed to sync a pod');
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers } = this.#parts;
    const sources = [
      informers.of(PODS),
      informers.of(VMIS),
      informers.of(PERSISTENT_VOLUME_CLAIMS),
      informers.of(NODES),
    ];
    const stops = [
      informers.of(NODES).onChange((change) => this.#nodeChanged(change)),
      informers.of(PODS).onChange((change) => this.#podChanged(change)),
      informers.of(VMIS).onChange((change) => this.#instanceChanged(change)),
    ];
    await Promise.race([Promise.all(sources.map(({ synced }) => synced)), waitForAbort(signal)]);
    const { logs } = this.#parts;
    if (!signal.aborted) logs.retain(new Set([...this.#pods.all()].map(({ metadata }) => metadata.uid ?? '')));
    this.#restores.tell();
    await Promise.all([this.#queue.run(signal), this.#restores.run(signal)]);
    logs.close();
    for (const stop of stops) stop();
  }

  /** Reconciles everything on a node again, since an action may be allowed now that was not before. */
  wake(node: string): void {
    for (const pod of this.#pods.by(podsByNode, node)) this.#queue.add(keyOf(pod));
    // Pods may have been deleted while no node agent was watching.
    for (const run of this.#runs.on(node)) this.#queue.add(run.key);
    this.#restores.look(node);
  }

  /** Handles a change of a machine on a node. */
  machineChanged(node: string, id: string): void {
    const host = this.#doubted.has(node) ? this.#parts.hosts.find(node) : undefined;
    if (host !== undefined) void this.#doubted.holdArrived(host, id);
    for (const pod of this.#pods.by(podsByInstance, id)) {
      if (pod.spec.nodeName !== node) continue;
      const key = keyOf(pod);
      if (this.#runs.get(key)?.acting !== true) this.#queue.add(key);
    }
  }

  /** Ends machines whose pods were deleted while no node agent ran, for drivers whose machines outlive it. */
  async sweep({ driver }: ManagedNode): Promise<void> {
    for (const { spec } of await driver.list()) {
      const pod = this.#pods.get(keyIn(spec.namespace, spec.pod.name));
      if (pod?.metadata.uid !== spec.pod.uid) await driver.remove(spec.id);
    }
  }

  /** Pauses the machines of a node that may have been declared lost, until that is known. */
  async doubt(host: ManagedNode): Promise<void> {
    await this.#doubted.hold(host);
  }

  /** Resumes the machines of a node that is known not to be lost. */
  async trust(host: ManagedNode): Promise<void> {
    await this.#doubted.release(host);
    this.wake(host.name);
  }

  /**
   * Reports whether every machine that ran on a node before it was fenced is known to have ended. A restarted node
   * agent must not adopt a machine that may meanwhile have been started elsewhere.
   */
  async isSettled({ name }: ManagedNode): Promise<boolean> {
    const { informers } = this.#parts;
    await Promise.all([informers.of(PODS).synced, informers.of(VMIS).synced]);
    for (const pod of this.#pods.by(podsByNode, name)) {
      if (!isLauncher(pod) || isPodTerminated(pod)) continue;
      const instance = newest(this.#instances.get(instanceKeyOf(pod) ?? ''), this.#runs.get(keyOf(pod))?.instance);
      if (instance?.metadata.uid !== pod.metadata.labels?.[CREATED_BY_LABEL]) continue;
      if (instance?.status?.phase === 'Running' && roleOf(pod, instance, name) === 'active') return false;
    }
    return true;
  }

  /** Ends all machines of a node that may have been declared lost, and has that reported. */
  async fence({ name, driver }: ManagedNode, cause: 'Fenced' | 'NodeDeleted'): Promise<void> {
    for (const machine of await driver.list()) {
      if (!isAlive(machine)) continue;
      for (const pod of this.#pods.by(podsByInstance, machine.spec.id)) {
        const run = this.#runs.get(keyOf(pod));
        if (run?.node === name) run.cause = cause;
      }
      await driver.kill(machine.spec.id, CAUSES[cause]);
    }
    this.#doubted.forget(name);
    this.wake(name);
  }

  #nodeChanged({ type, object }: Change<Node>): void {
    const mayBegin = this.#gate.observe(object, type === 'deleted');
    this.#restores.look(object.metadata.name ?? '');
    if (!mayBegin) return;
    this.#restores.opened();
    for (const pod of this.#pods.all()) {
      if (this.#parts.hosts.find(pod.spec.nodeName ?? '') !== undefined) this.#queue.add(keyOf(pod));
    }
  }

  #podChanged({ type, object }: Change<Pod>): void {
    const { addresses, hosts } = this.#parts;
    const { nodeName = '' } = object.spec;
    if (nodeName === '') return;
    const uid = object.metadata.uid ?? '';
    const address = object.status?.['podIP'] as string | undefined;
    if (type === 'deleted' || isPodTerminated(object)) addresses.release(uid);
    else if (address !== undefined) addresses.reserve(address, uid);
    const key = keyOf(object);
    const run = this.#runs.get(key);
    if (run === undefined && hosts.find(nodeName) === undefined) return;
    if (run !== undefined && type === 'deleted' && run.podUid === uid) run.gone = object;
    // An own write is no news.
    if (run !== undefined && type !== 'deleted' && isKnown(run, 'pod', object)) return;
    this.#queue.add(key);
  }

  #instanceChanged({ type, object }: Change<Vmi>): void {
    for (const pod of this.#pods.by(podsByInstance, object.metadata.uid)) {
      const key = keyOf(pod);
      const run = this.#runs.get(key);
      if (run !== undefined && type !== 'deleted' && isKnown(run, 'instance', object)) continue;
      if (run !== undefined || this.#parts.hosts.find(pod.spec.nodeName ?? '') !== undefined) this.#queue.add(key);
    }
  }

  async #work(key: string): Promise<ReconcileResult | undefined> {
    const { hosts, clock } = this.#parts;
    const cached = this.#pods.get(key);
    // The pod is reconciled again once it is known which machines really run.
    if (!this.#gate.isOpen && (cached === undefined || isLauncher(cached))) return undefined;
    let run = this.#runs.get(key);
    if (run !== undefined && cached?.metadata.uid !== run.podUid) {
      if (this.#isStill(hosts.find(run.node))) return undefined;
      await this.#leave(run);
      run = undefined;
    }
    const host = hosts.find(cached?.spec.nodeName ?? '');
    if (cached === undefined || host === undefined || this.#isStill(host)) return undefined;
    if (run === undefined) {
      run = newTrackedPod(cached, key, clock.now());
      this.#runs.add(run);
    }
    run.stale = false;
    const pod = newest(cached, run.pod) ?? cached;
    const again = await this.#look(run, pod, host);
    if (run.pod !== undefined) run.pod = ifNotCached(run.pod, this.#pods.get(key));
    return isStale(run) ? { requeueAfterMs: 0 } : again;
  }

  async #look(run: TrackedPod, pod: Pod, host: ManagedNode): Promise<ReconcileResult | undefined> {
    try {
      if (isLauncher(pod)) return await this.#launchers.reconcile(run, pod, host);
      // Other pods of a deleted node are left to the pod garbage collector.
      return host.gone === undefined ? await this.#parts.podRunner?.reconcile(run, pod, host) : undefined;
    } catch (error) {
      // The conflicting change is already known, so there is nothing to wait for.
      if (isConflict(error) && isStale(run)) return undefined;
      throw error;
    }
  }

  /** Reports whether nothing is done for a node. Whatever ends that state must wake the node. */
  #isStill(host: ManagedNode | undefined): boolean {
    return host !== undefined && (host.frozen || host.inDoubt || this.#doubted.has(host.name));
  }

  /** Cleans up after a deleted pod. */
  async #leave(run: TrackedPod): Promise<void> {
    const { hosts, addresses, logs, podRunner } = this.#parts;
    const host = hosts.find(run.node);
    if (host !== undefined) await this.#launchers.leave(run, host);
    podRunner?.forget(run);
    addresses.release(run.podUid);
    logs.forget(run.podUid);
    this.#runs.remove(run);
  }
}

/** Reads the flag at each call, because it changes while a caller waits. */
const isStale = ({ stale }: TrackedPod) => stale === true;
