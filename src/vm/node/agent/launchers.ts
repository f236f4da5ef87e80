import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { COMPUTE_CONTAINER, CREATED_BY_LABEL, MIGRATION_LABEL } from '#api/launcher';
import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import { isNotFound } from '#platform/kube/kube-error';
import type { Cache } from '#platform/runtime/cache';
import type { EventRecorder, EventType } from '#platform/runtime/events/event-recorder';
import { keyIn, keyOf } from '#platform/runtime/key';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { InvalidStateError, isAlive, type Machine } from '../machine-driver.ts';
import { nicsOf } from '../machine-spec.ts';
import type { Waiting } from '../pod/container-status.ts';
import { isPodTerminated } from '../pod/pod-status.ts';
import { type ActionFailure, actionFailureOf } from './action-failure.ts';
import type { Addresses } from './addresses.ts';
import type { ContainerLogs } from './container-logs.ts';
import { instanceStatus } from './instance-status.ts';
import { launcherStatus } from './launcher-status.ts';
import { type Migratability, migratability } from './live-migratable.ts';
import type { ManagedNode, NodeHooks } from './managed-node.ts';
import { type ActionContext, isOf, performAction } from './perform-action.ts';
import { planMachine } from './plan-machine.ts';
import { type ProbeResult, probe } from './probes.ts';
import { instanceKeyOf, isLauncher, type Role, roleOf } from './role.ts';
import { evictionOf, MIGRATED_AWAY, type Termination, terminationOf } from './termination.ts';
import { ifNotCached, newest, noteWrite, type TrackedPod } from './tracked-pod.ts';
import { recordTransitions } from './transitions.ts';
import { writeChange } from './write-change.ts';

export interface LauncherDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logs: ContainerLogs;
  readonly addresses: Addresses;
  readonly hooks: NodeHooks;
  readonly instances: Cache<Vmi>;
  readonly pods: Cache<Pod>;
  readonly claims: Cache<PersistentVolumeClaim>;
  /** Reconciles a pod again. */
  readonly wake: (pod: string) => void;
  /** Reports whether another node lists a machine of this name. */
  readonly isElsewhere: (machine: string, node: string) => boolean;
}

/** State of a launcher pod during one reconciliation. */
interface LauncherView {
  readonly tracked: TrackedPod;
  readonly host: ManagedNode;
  pod: Pod;
  instance: Vmi | undefined;
  machine: Machine | undefined;
  readonly now: number;
}

/** Facts about the instance that follow from its pod. */
interface PodFacts {
  readonly termination: Termination | undefined;
  readonly ready: boolean;
  readonly waiting?: Waiting | undefined;
}

const CREATING = { reason: 'ContainerCreating' };

/** Runs the machines of launcher pods: observes, plans, acts, and reports. */
export class Launchers {
  readonly #parts: LauncherDeps;

  constructor(parts: LauncherDeps) {
    this.#parts = parts;
  }

  async reconcile(tracked: TrackedPod, pod: Pod, host: ManagedNode): Promise<ReconcileResult | undefined> {
    const { clock, hooks, wake } = this.#parts;
    const now = clock.now();
    tracked.stopWaiting?.abort();
    const look: LauncherView = {
      tracked,
      host,
      pod,
      instance: this.#instanceOf(tracked, pod),
      machine: undefined,
      now,
    };
    await this.#inspect(look);
    const hold = isAlive(look.machine) ? undefined : hooks.startBlock(pod, look.instance, tracked.seenAt, now);
    let verdict = this.#probe(look);
    const actions = planMachine({
      node: host.name,
      pod,
      instance: look.instance,
      machine: look.machine,
      held: tracked.held ?? false,
      requestedGraceMs: tracked.requestedGraceMs,
      waiting: hold !== undefined || this.#isElsewhere(look),
      leaseHeld: host.leaseHeld,
      undecided: host.mayAdopt === undefined,
      unhealthy: verdict?.unhealthy ?? false,
    });
    let failure: ActionFailure | undefined;
    if (actions.length > 0) {
      failure = await this.#act(look, actions);
      verdict = this.#probe(look);
    }
    await this.#report(look, hold?.waiting ?? failure?.waiting, verdict);
    if (failure !== undefined) {
      wakeOnChange(tracked, failure, wake);
      return { requeueAfterMs: failure.retryAfterMs };
    }
    if (look.instance !== undefined && look.machine?.state === 'running') {
      await hooks.attend?.(pod, look.instance, look.machine, host.driver);
    }
    // Requests that were made while no node agent ran are handled now that there is a machine again.
    if (actions.some((action) => action.do === 'adopt')) return { requeueAfterMs: 1 };
    const next = Math.min(hold?.until ?? Number.POSITIVE_INFINITY, verdict?.again ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : { requeueAfterMs: Math.max(1, next - clock.now()) };
  }

  /**
   * Ends the machine of a deleted pod, and reports it to those that still take it to run, which nothing else could do.
   */
  async leave(tracked: TrackedPod, host: ManagedNode): Promise<void> {
    const { machineId, gone: pod } = tracked;
    const { driver } = host;
    tracked.stopWaiting?.abort();
    if (machineId !== undefined && isPodOf(await driver.inspect(machineId), tracked)) {
      await driver.kill(machineId, 'its pod was deleted');
    }
    // The reason for the end is certain only now, since the machine may have been migrating.
    const found = machineId === undefined ? undefined : await driver.inspect(machineId);
    const machine = isPodOf(found, tracked) ? found : undefined;
    const instance = pod === undefined || !isLauncher(pod) ? undefined : this.#instanceOf(tracked, pod);
    if (pod !== undefined && instance !== undefined && roleOf(pod, instance, host.name) === 'active') {
      const instanceDeleted = instance.metadata.deletionTimestamp !== undefined;
      const said = { cause: tracked.cause, instanceDeleted, podDeleted: true, eviction: evictionOf(pod) };
      const termination = terminationOf({ end: machine?.ended, ...said });
      tracked.held = false;
      await this.#reportInstance(
        { tracked, host, pod, instance, machine, now: this.#parts.clock.now() },
        { termination, ready: false },
      );
    }
    if (machine !== undefined) await driver.remove(machine.spec.id);
  }

  #isElsewhere({ instance, host }: LauncherView): boolean {
    return instance !== undefined && this.#parts.isElsewhere(keyOf(instance), host.name);
  }

  #instanceOf(run: TrackedPod, pod: Pod): Vmi | undefined {
    const key = instanceKeyOf(pod);
    const instance = key === undefined ? undefined : newest(this.#parts.instances.get(key), run.instance);
    return instance?.metadata.uid === pod.metadata.labels?.[CREATED_BY_LABEL] ? instance : undefined;
  }

  async #inspect(look: LauncherView): Promise<void> {
    const id = look.pod.metadata.labels?.[CREATED_BY_LABEL] ?? '';
    const found = await look.host.driver.inspect(id);
    look.machine = isOf(found, look.pod) ? found : undefined;
    if (look.machine !== undefined) look.tracked.machineId = id;
  }

  /** Performs the actions. Returns the failure of a driver, which is reported and not only logged. */
  async #act(look: LauncherView, actions: ReturnType<typeof planMachine>): Promise<ActionFailure | undefined> {
    const { tracked, host, pod, now } = look;
    const { client, events } = this.#parts;
    // Changes caused by the actions are observed right after them.
    tracked.acting = true;
    let failure: ActionFailure | undefined;
    try {
      for (const action of actions) {
        // A missing instance is only ever subject to a kill.
        const instance = look.instance ?? ({ metadata: { uid: tracked.machineId ?? '' } } as Vmi);
        const log = this.#sayer(pod);
        const record = (type: EventType, reason: string, message: string) => {
          events.event(instance, type, reason, message);
          log(message);
        };
        const perform = performAction(action, { client, host, run: tracked, pod, instance, now, log, record });
        const failed = await perform.then(() => undefined, actionFailureOf);
        if (failed?.preparing !== undefined) this.#recordPreparation(tracked, failed.preparing, record);
        else if (failed !== undefined) record('Warning', failed.waiting.reason, failed.waiting.message);
        failure = failed ?? failure;
        if (tracked.instance !== undefined) look.instance = newest(look.instance, tracked.instance);
      }
    } finally {
      tracked.acting = false;
    }
    await this.#inspect(look);
    return failure;
  }

  /** Records once what is being prepared. Its progress is in the status. */
  #recordPreparation(tracked: TrackedPod, what: string, record: ActionContext['record']): void {
    if (tracked.preparing === what) return;
    tracked.preparing = what;
    record('Normal', 'Pulling', `Pulling ${what}`);
  }

  #probe({ instance, machine, pod, tracked, now }: LauncherView): ProbeResult | undefined {
    if (instance === undefined || !isAlive(machine)) return undefined;
    const answers = this.#parts.hooks.probeAnswers(pod, instance);
    // A machine that is only held will run as soon as that is known.
    const state = tracked.held === true ? 'running' : machine.state;
    const verdict = probe(
      { spec: instance.spec, machine: { ...machine, state }, answers, unhealthySince: tracked.unhealthySince },
      now,
    );
    tracked.unhealthySince = verdict.unhealthySince;
    return verdict;
  }

  async #report(look: LauncherView, waiting: Waiting | undefined, verdict: ProbeResult | undefined): Promise<void> {
    const { tracked, host, now } = look;
    const role = roleOf(look.pod, look.instance, host.name);
    const termination = terminationFor(look, role);
    const settled = termination !== undefined || isAlive(look.machine) || role === 'target';
    // A pod that only waits for a lease, or whose instance is not known yet, has nothing to report.
    if (!settled && waiting === undefined) return;
    const ready = role === 'target' || (verdict?.ready ?? false);
    const facts = {
      hostIP: host.address,
      podIP: this.#addressOf(look),
      seenAt: tracked.seenAt,
      waiting: settled ? undefined : (waiting ?? CREATING),
      termination,
      ready,
    };
    const pod = look.pod;
    const podStatus = isPodTerminated(pod) ? undefined : launcherStatus(pod, facts, now);
    const writePod = async () => {
      const written =
        podStatus === undefined ? undefined : await writeChange(tracked, this.#parts.client, PODS, pod, podStatus);
      if (written === undefined) return;
      look.pod = tracked.pod = written;
    };
    // Starts are written to the pod first and ends to the instance first, so that a reader of one never misses the
    // other.
    if (termination === undefined) await writePod();
    if (role === 'active') await this.#reportInstance(look, facts);
    if (role === 'target') await this.#reportTarget(look);
    if (termination === undefined) return;
    await writePod();
    await this.#putAway(look);
  }

  async #reportInstance(look: LauncherView, { termination, ready, waiting }: PodFacts): Promise<void> {
    const { tracked, host, instance, machine, now } = look;
    if (instance === undefined) return;
    const { client, events } = this.#parts;
    const status = instanceStatus(
      instance,
      {
        node: host.name,
        pod: look.pod,
        machine,
        termination,
        ready,
        waiting,
        paused: machine?.state === 'paused' && (tracked.held !== true || instance.spec.startStrategy === 'Paused'),
        migratability: this.#migratability(instance, host),
        targetPod: this.#targetPod(instance),
      },
      now,
    );
    const written = await writeChange(tracked, client, VMIS, instance, status);
    if (written !== undefined) {
      look.instance = written;
      tracked.instance = ifNotCached(written, this.#parts.instances.get(keyOf(instance)));
      recordTransitions(instance, written, events, this.#sayer(look.pod));
    }
    await this.#release(look);
  }

  /** Lets a prepared machine run, now that its instance reports that it runs here. */
  async #release({ tracked, host, instance }: LauncherView): Promise<void> {
    if (tracked.held !== true || instance === undefined || instance.status?.nodeName !== host.name) return;
    tracked.held = false;
    if (instance.spec.startStrategy === 'Paused') return;
    tracked.acting = true;
    try {
      await host.driver.resume(instance.metadata.uid);
    } catch (error) {
      if (!(error instanceof InvalidStateError)) throw error;
      // It has ended meanwhile, which the next reconciliation reports.
      tracked.stale = true;
    } finally {
      tracked.acting = false;
    }
  }

  /** Reports the address where this node waits for the machine. */
  async #reportTarget({ tracked, pod, instance, machine }: LauncherView): Promise<void> {
    const state = instance?.status?.migrationState;
    if (instance === undefined || state === undefined || machine?.state !== 'incoming') return;
    if (state.migrationUid !== pod.metadata.labels?.[MIGRATION_LABEL]) return;
    const { listensAt: targetNodeAddress } = tracked;
    if (state.completed === true || targetNodeAddress === undefined || targetNodeAddress === state.targetNodeAddress) {
      return;
    }
    const { name, namespace, uid, resourceVersion } = instance.metadata;
    // A late write could be mistaken for the response to another migration.
    const body = { metadata: { uid, resourceVersion }, status: { migrationState: { targetNodeAddress } } };
    const where = { namespace, subresource: 'status' };
    tracked.instance = await noteWrite(tracked, this.#parts.client.patch(VMIS, name, { type: 'merge', body }, where));
  }

  /** Forgets a machine whose end is reported, and lets its pod be deleted. */
  async #putAway({ tracked, host, pod, machine }: LauncherView): Promise<void> {
    const { uid = '', name = '', namespace = '', resourceVersion = '', deletionTimestamp } = pod.metadata;
    if (machine !== undefined) await host.driver.remove(machine.spec.id);
    delete tracked.machineId;
    this.#parts.logs.end(uid, COMPUTE_CONTAINER);
    this.#parts.addresses.release(uid);
    if (deletionTimestamp === undefined) return;
    // A concurrent change of the pod may contain a request that is not handled yet.
    const preconditions = { uid, resourceVersion };
    try {
      await this.#parts.client.delete(PODS, name, { namespace, gracePeriodSeconds: 0, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Returns the address of the instance, or one from the fleet's range. */
  #addressOf({ pod, instance }: LauncherView): string {
    const given = pod.status?.['podIP'] as string | undefined;
    if (given !== undefined) return given;
    const own = instance === undefined ? undefined : nicsOf(instance).find(({ ip }) => ip !== undefined)?.ip;
    return own ?? this.#parts.addresses.take(pod.metadata.uid ?? '');
  }

  #migratability(instance: Vmi, { driver }: ManagedNode): Migratability {
    const findClaim = (claim: string) => this.#parts.claims.get(keyIn(instance.metadata.namespace, claim));
    return migratability(instance, findClaim, driver.capabilities());
  }

  #targetPod({ metadata, status }: Vmi): Pod | undefined {
    const name = status?.migrationState?.targetPod;
    return name === undefined ? undefined : this.#parts.pods.get(keyIn(metadata.namespace, name));
  }

  #sayer({ metadata }: Pod): (text: string) => void {
    return (text) => this.#parts.logs.write(metadata.uid ?? '', COMPUTE_CONTAINER, text);
  }
}

const isPodOf = (machine: Machine | undefined, { podUid }: TrackedPod) => machine?.spec.pod.uid === podUid;

/** Reconciles a pod again as soon as a failed action may succeed, unless it is reconciled before. */
function wakeOnChange(tracked: TrackedPod, { waitForChange }: ActionFailure, wake: LauncherDeps['wake']): void {
  if (waitForChange === undefined) return;
  const stop = new AbortController();
  tracked.stopWaiting = stop;
  const wakeUnlessStopped = () => {
    if (!stop.signal.aborted) wake(tracked.key);
  };
  // A lost watch is no failure: the action is tried again after a while in any case.
  waitForChange(stop.signal).then(wakeUnlessStopped, () => undefined);
}

/** Returns how the purpose of the pod has ended, or undefined if it has not. */
function terminationFor({ tracked, pod, instance, machine }: LauncherView, role: Role): Termination | undefined {
  if (isAlive(machine)) return undefined;
  const instanceDeleted = instance?.metadata.deletionTimestamp !== undefined;
  const podDeleted = pod.metadata.deletionTimestamp !== undefined;
  const eviction = evictionOf(pod);
  const end = machine?.ended;
  if (end !== undefined || tracked.cause !== undefined) {
    return terminationOf({ end, cause: tracked.cause, instanceDeleted, podDeleted, eviction });
  }
  if (podDeleted || (role === 'active' && instanceDeleted)) {
    return terminationOf({ end, cause: undefined, instanceDeleted, podDeleted, eviction });
  }
  // Nothing has begun before the instance is known. Afterwards nothing is left to do here.
  return role === 'none' && (instance !== undefined || pod.status?.phase === 'Running') ? MIGRATED_AWAY : undefined;
}
