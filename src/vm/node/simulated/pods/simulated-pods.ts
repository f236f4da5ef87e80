import type { Clock } from '#platform/base/clock';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { type Container, PODS, type Pod, type PodStatus } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import type { Addresses } from '../../agent/addresses.ts';
import type { PodRunner } from '../../agent/agent.ts';
import type { ContainerLogs } from '../../agent/container-logs.ts';
import type { ManagedNode, NodeHooks } from '../../agent/managed-node.ts';
import type { TrackedPod } from '../../agent/tracked-pod.ts';
import { writeChange } from '../../agent/write-change.ts';
import { type ContainerStatus, containerStatus, type Waiting } from '../../pod/container-status.ts';
import { isPodTerminated, podStatus } from '../../pod/pod-status.ts';
import { behaviorOf } from '../behavior.ts';
import { containersFrom, type PodState, podAt } from './pod-state.ts';
import type { SimulatedContainer } from './simulated-container.ts';

export interface SimulatedPodsDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logs: ContainerLogs;
  readonly addresses: Addresses;
  readonly hooks: NodeHooks;
  /** Default annotations for pods that do not set their own. */
  readonly defaults: Readonly<Record<string, string>>;
}

interface PodMemory {
  lives: readonly SimulatedContainer[];
  unhealthySince: number | undefined;
}

/** Simulates pods without machines: nothing runs, but everything is reported as if it did. */
export class SimulatedPods implements PodRunner {
  readonly #parts: SimulatedPodsDeps;
  readonly #memories = new Map<string, PodMemory>();

  constructor(parts: SimulatedPodsDeps) {
    this.#parts = parts;
  }

  async reconcile(run: TrackedPod, pod: Pod, host: ManagedNode): Promise<ReconcileResult | undefined> {
    const { clock, hooks } = this.#parts;
    const now = clock.now();
    if (isPodTerminated(pod)) return await this.#over(pod);
    const begun = this.#memories.has(run.podUid) || pod.status?.phase === 'Running';
    const hold = begun ? undefined : hooks.startBlock(pod, undefined, run.seenAt, now);
    if (hold !== undefined && pod.metadata.deletionTimestamp === undefined) {
      await this.#write(run, pod, waitingStatus(pod, host, hold.waiting, run.seenAt, now));
      return { requeueAfterMs: Math.max(1, hold.until - now) };
    }
    if (hold !== undefined) return await this.#end(pod);
    const state = this.#advance(run, pod, now);
    const written = await this.#write(run, pod, this.#running(pod, host, state, run.seenAt, now));
    if (state.phase === 'Succeeded' || state.phase === 'Failed') return await this.#over(written ?? pod);
    return state.again === undefined ? undefined : { requeueAfterMs: Math.max(1, state.again - clock.now()) };
  }

  forget({ podUid }: TrackedPod): void {
    this.#memories.delete(podUid);
  }

  #advance({ podUid }: TrackedPod, pod: Pod, now: number): PodState {
    const behavior = behaviorOf(pod.metadata.annotations, this.#parts.defaults);
    const memory = this.#memories.get(podUid) ?? { lives: containersFrom(pod), unhealthySince: undefined };
    const first = memory.lives.length === 0;
    memory.unhealthySince = behavior.alive ? undefined : (memory.unhealthySince ?? now);
    const state = podAt(pod, behavior, memory, now);
    this.#tell(pod, first ? [] : memory.lives, state.lives);
    memory.lives = state.lives;
    this.#memories.set(podUid, memory);
    return state;
  }

  #running(pod: Pod, host: ManagedNode, { phase, reason, message, containers }: PodState, seenAt: number, now: number) {
    const given = pod.status?.['podIP'] as string | undefined;
    const own = pod.spec['hostNetwork'] === true ? host.address : this.#parts.addresses.take(pod.metadata.uid ?? '');
    const facts = {
      phase,
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      hostIP: host.address,
      podIP: given ?? own,
      startedAt: seenAt,
      containers,
      initContainers: (pod.spec.initContainers ?? []).map((container) =>
        initContainerStatus(pod, container, phase === 'Running', now),
      ),
      initialized: true,
    };
    return podStatus(pod, facts, now);
  }

  async #write(run: TrackedPod, pod: Pod, status: PodStatus): Promise<Pod | undefined> {
    const written = await writeChange(run, this.#parts.client, PODS, pod, status);
    if (written !== undefined) run.pod = written;
    return written;
  }

  /** Handles an ended pod, which stays until its deletion is requested. */
  async #over(pod: Pod): Promise<undefined> {
    this.#parts.addresses.release(pod.metadata.uid ?? '');
    for (const { name } of pod.spec.containers) this.#parts.logs.end(pod.metadata.uid ?? '', name);
    if (pod.metadata.deletionTimestamp !== undefined) await this.#end(pod);
    return undefined;
  }

  async #end({ metadata: { name = '', namespace = '', uid = '', resourceVersion = '' } }: Pod): Promise<undefined> {
    const preconditions = { uid, resourceVersion };
    try {
      await this.#parts.client.delete(PODS, name, { namespace, gracePeriodSeconds: 0, preconditions });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }

  /** Reports changes of the containers in their logs, and failures as events. */
  #tell(pod: Pod, before: readonly SimulatedContainer[], after: readonly SimulatedContainer[]): void {
    const { logs, events } = this.#parts;
    const { uid = '' } = pod.metadata;
    for (const [i, { name }] of pod.spec.containers.entries()) {
      const [was, is] = [before[i], after[i]];
      if (is === undefined || was === is) continue;
      if (was !== undefined && is.restarts > was.restarts) {
        logs.write(uid, name, `container ${name} terminated`);
        logs.restart(uid, name);
      }
      if (was === undefined || is.restarts > was.restarts) logs.write(uid, name, `container ${name} started`);
      if (is.run.end === undefined || is.run.end.at === was?.run.end?.at) continue;
      logs.write(
        uid,
        name,
        `container ${name} terminated with exit code ${is.run.end.exitCode} (${is.run.end.reason})`,
      );
      if (is.waits === true) {
        events.event(
          pod,
          'Warning',
          'BackOff',
          `Back-off restarting failed container ${name} in pod ${pod.metadata.name}`,
        );
      }
    }
  }
}

function waitingStatus(pod: Pod, { address }: ManagedNode, waiting: Waiting, seenAt: number, now: number) {
  const { uid = '' } = pod.metadata;
  const init = pod.spec.initContainers ?? [];
  const waits = (container: Container, why: Waiting): ContainerStatus =>
    containerStatus(container, { waiting: why }, { podUid: uid, ready: false });
  const creating = { reason: 'PodInitializing' };
  return podStatus(
    pod,
    {
      phase: 'Pending',
      hostIP: address,
      podIP: '',
      startedAt: seenAt,
      containers: pod.spec.containers.map((container) => waits(container, init.length > 0 ? creating : waiting)),
      initContainers: init.map((container, i) => waits(container, i === 0 ? waiting : creating)),
      initialized: init.length === 0,
    },
    now,
  );
}

/**
 * Returns the status of an init container, which completes immediately or, as a sidecar, runs as long as the others.
 */
function initContainerStatus(pod: Pod, container: Container, running: boolean, now: number): ContainerStatus {
  const statuses = (pod.status?.['initContainerStatuses'] ?? []) as readonly ContainerStatus[];
  const before = statuses.find(({ name }) => name === container.name)?.state;
  const time = timestamp(now);
  const stays = running && container.restartPolicy === 'Always';
  const podUid = pod.metadata.uid ?? '';
  if (stays)
    return containerStatus(container, { running: before?.running ?? { startedAt: time } }, { podUid, ready: true });
  const startedAt = before?.running?.startedAt ?? time;
  const terminated = before?.terminated ?? { exitCode: 0, reason: 'Completed', startedAt, finishedAt: time };
  return containerStatus(container, { terminated }, { podUid, ready: container.restartPolicy !== 'Always' });
}
