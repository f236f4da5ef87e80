import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { ExplanationStore } from '../explanation/explanation-store.ts';
import type { Attempt } from '../framework/attempt.ts';
import { fitMessage, unschedulablePlugins } from '../framework/diagnosis.ts';
import type { Placer } from '../framework/placer.ts';
import type { FilterName } from '../framework/plugin-name.ts';
import type { Profile } from '../framework/profile.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import { type Preemption, preempt } from '../preemption/preempt.ts';
import type { NominatedPods } from '../queue/nominated-pods.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { VolumeBinder } from '../volumes/volume-binder.ts';
import type { Binder } from './binder.ts';
import type { PreemptionExecutor } from './preemption-executor.ts';
import type { Reporter } from './reporter.ts';

export interface PodSchedulerDeps {
  /** Placers by schedulerName. */
  readonly placers: ReadonlyMap<string, { readonly profile: Profile; readonly placer: Placer }>;
  readonly nodes: Snapshot;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  readonly binder: Binder;
  readonly reporter: Reporter;
  readonly explanations: ExplanationStore;
  readonly volumes: VolumeBinder;
  readonly preemption: PreemptionExecutor;
  readonly budgets: () => readonly PodDisruptionBudget[];
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Maximum number of bindings in progress. Beyond it the server is the bottleneck, and pods wait better in the queue.
 */
const MAX_BINDINGS = 1_000;
const NOBODY: ReadonlySet<FilterName> = new Set();

/** Takes one pod after another from the queue and tries to schedule it. */
export class PodScheduler {
  readonly #parts: PodSchedulerDeps;

  constructor(parts: PodSchedulerDeps) {
    this.#parts = parts;
  }

  /** Reports whether there was a pod to try. */
  next(signal: AbortSignal): boolean {
    const { queue, binder, reporter, log } = this.#parts;
    if (binder.size >= MAX_BINDINGS) return false;
    const queued = queue.pop();
    if (queued === undefined) return false;
    const { info } = queued;
    if (info.terminating) {
      reporter.skipped(info.pod);
      queue.remove(info.uid);
      return true;
    }
    try {
      this.#try(queued, signal);
    } catch (error) {
      log.error({ pod: info.key, err: error as Error }, 'failed to schedule a pod');
      queue.failed(queued);
      reporter.notScheduled(queued, 'SchedulerError', (error as Error).message, '');
    }
    return true;
  }

  #try(queued: QueuedPod, signal: AbortSignal): void {
    const { placers, nodes, binder, volumes } = this.#parts;
    const schedulerName = queued.info.pod.spec.schedulerName ?? 'default-scheduler';
    const found = placers.get(schedulerName);
    if (found === undefined) return;
    if (nodes.size === 0) {
      this.#refuse(queued, NOBODY, 'no nodes available to schedule pods', '');
      return;
    }
    const attempt = found.placer.place(queued.info);
    if (attempt.chosen === undefined) {
      this.#unplaced(queued, attempt, found.profile);
      return;
    }
    this.#explain(queued, attempt, schedulerName);
    const node = nodes.nodeAt(attempt.chosen);
    const before = node === undefined ? undefined : volumes.reserve(queued.info, node);
    binder.bind(queued, nodes.nameAt(attempt.chosen), before && (() => before(signal)));
  }

  /** Handles a pod without a feasible node. If preemption can help, the pod is nominated to that node. */
  #unplaced(queued: QueuedPod, attempt: Attempt, { schedulerName, preemption }: Profile): void {
    const { nodes, budgets, random } = this.#parts;
    const { diagnosis } = attempt;
    if (diagnosis === undefined) return;
    const outcome: Preemption =
      preemption === undefined
        ? { message: '', keepsNomination: false }
        : preempt(attempt, preemption, nodes, budgets(), random);
    const message = fitMessage(diagnosis, outcome.victims === undefined ? outcome.message : '');
    if (outcome.victims === undefined) {
      this.#explain(queued, attempt, schedulerName, { message });
      this.#refuse(queued, unschedulablePlugins(diagnosis), message, outcome.keepsNomination ? undefined : '');
      return;
    }
    const nominatedNode = nodes.nameAt(outcome.slot);
    this.#explain(queued, attempt, schedulerName, { message, nominatedNode });
    this.#withdrawLower(queued, outcome.slot);
    this.#refuse(queued, unschedulablePlugins(diagnosis), message, nominatedNode);
    this.#evict(queued, outcome.victims, nominatedNode);
  }

  /** Withdraws the nominations of lower-priority pods for the same node. */
  #withdrawLower({ info }: QueuedPod, slot: number): void {
    const { nominated, preemption } = this.#parts;
    for (const other of [...nominated.at(slot)]) {
      if (other.priority >= info.priority) continue;
      nominated.remove(other.uid);
      preemption.withdraw(other);
    }
  }

  #evict({ info }: QueuedPod, victims: readonly PodInfo[], nodeName: string): void {
    const { queue, preemption } = this.#parts;
    preemption.evict(victims, info, nodeName, () => queue.wake((other) => other.info.uid === info.uid));
  }

  #refuse(queued: QueuedPod, by: ReadonlySet<FilterName>, message: string, nominatedNode: string | undefined): void {
    const { queue, nominated, reporter } = this.#parts;
    queue.refused(queued, by);
    reporter.notScheduled(queued, 'Unschedulable', message, nominatedNode);
    if (nominatedNode === undefined) return;
    // The nomination counts at once, because the next attempt may come before the server reports it.
    queued.info = nominatedTo(queued.info, nominatedNode);
    nominated.set(queued.info, nominatedNode);
  }

  #explain(
    queued: QueuedPod,
    attempt: Attempt,
    scheduler: string,
    outcome: { readonly message?: string; readonly nominatedNode?: string } = {},
  ): void {
    const { explanations, nodes, clock } = this.#parts;
    const { attempts } = queued;
    explanations.record(attempt, nodes.names, { scheduler, at: clock.now(), attempt: attempts, ...outcome });
  }
}

function nominatedTo(info: PodInfo, nominatedNodeName: string): PodInfo {
  if ((info.pod.status?.nominatedNodeName ?? '') === nominatedNodeName) return info;
  return { ...info, pod: { ...info.pod, status: { ...info.pod.status, nominatedNodeName } } };
}
