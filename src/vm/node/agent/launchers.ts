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
import { isAlive, type Machine, WrongState } from '../machine-driver.ts';
import { nicsOf } from '../machine-spec.ts';
import type { Waiting } from '../pod/container-status.ts';
import { isOver } from '../pod/pod-status.ts';
import type { Addresses } from './addresses.ts';
import { isOf, perform } from './deeds.ts';
import { type Ending, endingOf, evictionOf, LEFT } from './ending.ts';
import type { Host, Surroundings } from './host.ts';
import { instanceStatus } from './instance-status.ts';
import { launcherStatus } from './launcher-status.ts';
import { type Migratability, migratability } from './live-migratable.ts';
import type { LogBook } from './log-book.ts';
import { plan } from './plan.ts';
import { type ProbeVerdict, probe } from './probes.ts';
import { instanceKeyOf, isLauncher, type Role, roleOf } from './role.ts';
import { newest, noteWrite, type Run, unseen } from './run.ts';
import { tellOfInstance } from './transitions.ts';
import { writeChange } from './written.ts';

export interface LauncherParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logs: LogBook;
  readonly addresses: Addresses;
  readonly surroundings: Surroundings;
  readonly instances: Cache<Vmi>;
  readonly pods: Cache<Pod>;
  readonly claims: Cache<PersistentVolumeClaim>;
  /** Whether another node says that it runs a machine of this name. */
  readonly isElsewhere: (machine: string, node: string) => boolean;
}

/** What is known of a launcher pod during one look at it. */
interface Look {
  readonly run: Run;
  readonly host: Host;
  pod: Pod;
  instance: Vmi | undefined;
  machine: Machine | undefined;
  readonly now: number;
}

/** What the state of the pod says of the instance. */
interface PodFacts {
  readonly ending: Ending | undefined;
  readonly ready: boolean;
  readonly waiting?: Waiting | undefined;
}

const CREATING = { reason: 'ContainerCreating' };

/** Runs the machines of launcher pods: looks, decides, acts, and says how things are. */
export class Launchers {
  readonly #parts: LauncherParts;

  constructor(parts: LauncherParts) {
    this.#parts = parts;
  }

  async reconcile(run: Run, pod: Pod, host: Host): Promise<ReconcileResult | undefined> {
    const { clock, surroundings } = this.#parts;
    const now = clock.now();
    const look: Look = { run, host, pod, instance: this.#instanceOf(run, pod), machine: undefined, now };
    await this.#inspect(look);
    const hold = isAlive(look.machine) ? undefined : surroundings.hold(pod, look.instance, run.seenAt, now);
    let verdict = this.#probe(look);
    const deeds = plan({
      node: host.name,
      pod,
      instance: look.instance,
      machine: look.machine,
      held: run.held ?? false,
      askedGraceMs: run.askedGraceMs,
      waiting: hold !== undefined || this.#isElsewhere(look),
      leaseHeld: host.leaseHeld,
      undecided: host.mayAdopt === undefined,
      unhealthy: verdict?.unhealthy ?? false,
    });
    if (deeds.length > 0) {
      await this.#act(look, deeds);
      verdict = this.#probe(look);
    }
    await this.#report(look, hold?.waiting, verdict);
    if (look.instance !== undefined && look.machine?.state === 'running') {
      await surroundings.attend?.(pod, look.instance, look.machine, host.driver);
    }
    // What was asked for while no agent was there is looked at now that there is a machine again.
    if (deeds.some((deed) => deed.do === 'adopt')) return { requeueAfterMs: 1 };
    const next = Math.min(hold?.until ?? Number.POSITIVE_INFINITY, verdict?.again ?? Number.POSITIVE_INFINITY);
    return next === Number.POSITIVE_INFINITY ? undefined : { requeueAfterMs: Math.max(1, next - clock.now()) };
  }

  /** Ends the machine of a pod that is gone, and says so to whoever still takes it to run: nobody else could. */
  async leave(run: Run, host: Host): Promise<void> {
    const { machineId, gone: pod } = run;
    const { driver } = host;
    if (machineId !== undefined && isPodOf(await driver.inspect(machineId), run)) {
      await driver.kill(machineId, 'its pod is gone');
    }
    // Only now is it certain how it ended: it may have been on its way to another node.
    const found = machineId === undefined ? undefined : await driver.inspect(machineId);
    const machine = isPodOf(found, run) ? found : undefined;
    const instance = pod === undefined || !isLauncher(pod) ? undefined : this.#instanceOf(run, pod);
    if (pod !== undefined && instance !== undefined && roleOf(pod, instance, host.name) === 'home') {
      const instanceDeleted = instance.metadata.deletionTimestamp !== undefined;
      const said = { cause: run.cause, instanceDeleted, podDeleted: true, eviction: evictionOf(pod) };
      const ending = endingOf({ end: machine?.ended, ...said });
      run.held = false;
      await this.#reportInstance(
        { run, host, pod, instance, machine, now: this.#parts.clock.now() },
        { ending, ready: false },
      );
    }
    if (machine !== undefined) await driver.remove(machine.spec.id);
  }

  #isElsewhere({ instance, host }: Look): boolean {
    return instance !== undefined && this.#parts.isElsewhere(keyOf(instance), host.name);
  }

  #instanceOf(run: Run, pod: Pod): Vmi | undefined {
    const key = instanceKeyOf(pod);
    const instance = key === undefined ? undefined : newest(this.#parts.instances.get(key), run.instance);
    return instance?.metadata.uid === pod.metadata.labels?.[CREATED_BY_LABEL] ? instance : undefined;
  }

  async #inspect(look: Look): Promise<void> {
    const id = look.pod.metadata.labels?.[CREATED_BY_LABEL] ?? '';
    const found = await look.host.driver.inspect(id);
    look.machine = isOf(found, look.pod) ? found : undefined;
    if (look.machine !== undefined) look.run.machineId = id;
  }

  async #act(look: Look, deeds: ReturnType<typeof plan>): Promise<void> {
    const { run, host, pod, now } = look;
    const { client, events } = this.#parts;
    // What changes because of the deeds is looked at right after them.
    run.acting = true;
    try {
      for (const deed of deeds) {
        // Nothing but a kill is ever done for an instance that is not there.
        const instance = look.instance ?? ({ metadata: { uid: run.machineId ?? '' } } as Vmi);
        const say = this.#sayer(pod);
        const tell = (type: EventType, reason: string, message: string) => {
          events.event(instance, type, reason, message);
          say(message);
        };
        await perform(deed, { client, host, run, pod, instance, now, say, tell });
        if (run.instance !== undefined) look.instance = newest(look.instance, run.instance);
      }
    } finally {
      run.acting = false;
    }
    await this.#inspect(look);
  }

  #probe({ instance, machine, pod, run, now }: Look): ProbeVerdict | undefined {
    if (instance === undefined || !isAlive(machine)) return undefined;
    const answers = this.#parts.surroundings.answers(pod, instance);
    // One that is only held back will run as soon as that is known.
    const state = run.held === true ? 'running' : machine.state;
    const verdict = probe(
      { spec: instance.spec, machine: { ...machine, state }, answers, unhealthySince: run.unhealthySince },
      now,
    );
    run.unhealthySince = verdict.unhealthySince;
    return verdict;
  }

  async #report(look: Look, waiting: Waiting | undefined, verdict: ProbeVerdict | undefined): Promise<void> {
    const { run, host, now } = look;
    const role = roleOf(look.pod, look.instance, host.name);
    const ending = endingFor(look, role);
    const settled = ending !== undefined || isAlive(look.machine) || role === 'target';
    // Whoever only waits for a lease has nothing to say, and whose instance is not known yet neither.
    if (!settled && waiting === undefined) return;
    const ready = role === 'target' || (verdict?.ready ?? false);
    const facts = {
      hostIP: host.address,
      podIP: this.#addressOf(look),
      seenAt: run.seenAt,
      waiting: settled ? undefined : (waiting ?? CREATING),
      ending,
      ready,
    };
    const pod = look.pod;
    const podStatus = isOver(pod) ? undefined : launcherStatus(pod, facts, now);
    const writePod = async () => {
      const written =
        podStatus === undefined ? undefined : await writeChange(run, this.#parts.client, PODS, pod, podStatus);
      if (written === undefined) return;
      look.pod = run.pod = written;
    };
    // Beginnings are told of the pod first and ends of the instance first: so whoever reads one never misses the other.
    if (ending === undefined) await writePod();
    if (role === 'home') await this.#reportInstance(look, facts);
    if (role === 'target') await this.#reportTarget(look);
    if (ending === undefined) return;
    await writePod();
    await this.#putAway(look);
  }

  async #reportInstance(look: Look, { ending, ready, waiting }: PodFacts): Promise<void> {
    const { run, host, instance, machine, now } = look;
    if (instance === undefined) return;
    const { client, events } = this.#parts;
    const status = instanceStatus(
      instance,
      {
        node: host.name,
        pod: look.pod,
        machine,
        ending,
        ready,
        waiting,
        paused: machine?.state === 'paused' && (run.held !== true || instance.spec.startStrategy === 'Paused'),
        migratability: this.#migratability(instance),
        targetPod: this.#targetPod(instance),
      },
      now,
    );
    const written = await writeChange(run, client, VMIS, instance, status);
    if (written !== undefined) {
      look.instance = written;
      run.instance = unseen(written, this.#parts.instances.get(keyOf(instance)));
      tellOfInstance(instance, written, events, this.#sayer(look.pod));
    }
    await this.#release(look);
  }

  /** Lets a machine run that was made ready, now that its instance says that it runs here. */
  async #release({ run, host, instance }: Look): Promise<void> {
    if (run.held !== true || instance === undefined || instance.status?.nodeName !== host.name) return;
    run.held = false;
    if (instance.spec.startStrategy === 'Paused') return;
    run.acting = true;
    try {
      await host.driver.resume(instance.metadata.uid);
    } catch (error) {
      if (!(error instanceof WrongState)) throw error;
      // It has ended meanwhile, which the next look tells.
      run.stale = true;
    } finally {
      run.acting = false;
    }
  }

  /** Says where this node waits for the machine. */
  async #reportTarget({ run, pod, instance, machine }: Look): Promise<void> {
    const state = instance?.status?.migrationState;
    if (instance === undefined || state === undefined || machine?.state !== 'incoming') return;
    if (state.migrationUid !== pod.metadata.labels?.[MIGRATION_LABEL]) return;
    const { listensAt: targetNodeAddress } = run;
    if (state.completed === true || targetNodeAddress === undefined || targetNodeAddress === state.targetNodeAddress) {
      return;
    }
    const { name, namespace, uid, resourceVersion } = instance.metadata;
    // Late, it could be taken for the answer to another migration.
    const body = { metadata: { uid, resourceVersion }, status: { migrationState: { targetNodeAddress } } };
    const where = { namespace, subresource: 'status' };
    run.instance = await noteWrite(run, this.#parts.client.patch(VMIS, name, { type: 'merge', body }, where));
  }

  /** All is said: the machine can be forgotten, and the pod may go. */
  async #putAway({ run, host, pod, machine }: Look): Promise<void> {
    const { uid = '', name = '', namespace = '', resourceVersion = '', deletionTimestamp } = pod.metadata;
    if (machine !== undefined) await host.driver.remove(machine.spec.id);
    delete run.machineId;
    this.#parts.logs.end(uid, COMPUTE_CONTAINER);
    this.#parts.addresses.release(uid);
    if (deletionTimestamp === undefined) return;
    // Whoever changed the pod meanwhile may have meant what is not looked at yet.
    const preconditions = { uid, resourceVersion };
    try {
      await this.#parts.client.delete(PODS, name, { namespace, gracePeriodSeconds: 0, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The address that the instance brings, or one of the fleet's. */
  #addressOf({ pod, instance }: Look): string {
    const given = pod.status?.['podIP'] as string | undefined;
    if (given !== undefined) return given;
    const own = instance === undefined ? undefined : nicsOf(instance).find(({ ip }) => ip !== undefined)?.ip;
    return own ?? this.#parts.addresses.take(pod.metadata.uid ?? '');
  }

  #migratability(instance: Vmi): Migratability {
    return migratability(instance, (claim) => this.#parts.claims.get(keyIn(instance.metadata.namespace, claim)));
  }

  #targetPod({ metadata, status }: Vmi): Pod | undefined {
    const name = status?.migrationState?.targetPod;
    return name === undefined ? undefined : this.#parts.pods.get(keyIn(metadata.namespace, name));
  }

  #sayer({ metadata }: Pod): (text: string) => void {
    return (text) => this.#parts.logs.write(metadata.uid ?? '', COMPUTE_CONTAINER, text);
  }
}

const isPodOf = (machine: Machine | undefined, { podUid }: Run) => machine?.spec.pod.uid === podUid;

/** How what the pod is for has ended; undefined where it has not. */
function endingFor({ run, pod, instance, machine }: Look, role: Role): Ending | undefined {
  if (isAlive(machine)) return undefined;
  const instanceDeleted = instance?.metadata.deletionTimestamp !== undefined;
  const podDeleted = pod.metadata.deletionTimestamp !== undefined;
  const eviction = evictionOf(pod);
  const end = machine?.ended;
  if (end !== undefined || run.cause !== undefined) {
    return endingOf({ end, cause: run.cause, instanceDeleted, podDeleted, eviction });
  }
  if (podDeleted || (role === 'home' && instanceDeleted)) {
    return endingOf({ end, cause: undefined, instanceDeleted, podDeleted, eviction });
  }
  // Before the instance is known nothing has begun; afterwards, there is nothing left to do here.
  return role === 'none' && (instance !== undefined || pod.status?.phase === 'Running') ? LEFT : undefined;
}
