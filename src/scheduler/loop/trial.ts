import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ExplanationStore } from '../explanation/explanation-store.ts';
import type { Attempt } from '../framework/attempt.ts';
import { fitMessage, refusingPlugins } from '../framework/diagnosis.ts';
import type { Placer } from '../framework/placer.ts';
import type { FilterName } from '../framework/plugin-name.ts';
import type { Profile } from '../framework/profile.ts';
import type { NominatedPods } from '../queue/nominated-pods.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Binder } from './binder.ts';
import type { Reporter } from './reporter.ts';

export interface TrialParts {
  /** By schedulerName. */
  readonly placers: ReadonlyMap<string, { readonly profile: Profile; readonly placer: Placer }>;
  readonly nodes: Snapshot;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  readonly binder: Binder;
  readonly reporter: Reporter;
  readonly explanations: ExplanationStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Bindings on their way at most: beyond, the server is the bottleneck and pods wait better in the queue. */
const MOST_BINDINGS = 1_000;
const NOBODY: ReadonlySet<FilterName> = new Set();

/** Takes one pod after another and tries to place it. */
export class Trial {
  readonly #parts: TrialParts;

  constructor(parts: TrialParts) {
    this.#parts = parts;
  }

  /** Returns whether there was a pod to try. */
  next(): boolean {
    const { queue, binder, reporter, log } = this.#parts;
    if (binder.size >= MOST_BINDINGS) return false;
    const queued = queue.pop();
    if (queued === undefined) return false;
    const { info } = queued;
    if (info.terminating) {
      reporter.skipped(info.pod);
      queue.remove(info.uid);
      return true;
    }
    try {
      this.#try(queued);
    } catch (error) {
      log.error({ pod: info.key, err: error as Error }, 'placing a pod failed');
      queue.failed(queued);
      reporter.notScheduled(queued, 'SchedulerError', (error as Error).message, '');
    }
    return true;
  }

  #try(queued: QueuedPod): void {
    const { placers, nodes, binder } = this.#parts;
    const schedulerName = queued.info.pod.spec.schedulerName ?? 'default-scheduler';
    const found = placers.get(schedulerName);
    if (found === undefined) return;
    if (nodes.size === 0) {
      this.#refuse(queued, NOBODY, 'no nodes available to schedule pods', '');
      return;
    }
    const attempt = found.placer.place(queued.info);
    if (attempt.chosen === undefined) {
      this.#unplaced(queued, attempt, schedulerName);
      return;
    }
    this.#explain(queued, attempt, schedulerName);
    binder.bind(queued, nodes.nameAt(attempt.chosen), undefined);
  }

  #unplaced(queued: QueuedPod, attempt: Attempt, schedulerName: string): void {
    const { diagnosis } = attempt;
    if (diagnosis === undefined) return;
    const message = fitMessage(diagnosis);
    this.#explain(queued, attempt, schedulerName, message);
    this.#refuse(queued, refusingPlugins(diagnosis), message, '');
  }

  #refuse(queued: QueuedPod, by: ReadonlySet<FilterName>, message: string, nominatedNode: string | undefined): void {
    const { queue, nominated, reporter } = this.#parts;
    queue.refused(queued, by);
    if (nominatedNode !== undefined) nominated.set(queued.info, nominatedNode);
    reporter.notScheduled(queued, 'Unschedulable', message, nominatedNode);
  }

  #explain(queued: QueuedPod, attempt: Attempt, scheduler: string, message?: string): void {
    const { explanations, nodes, clock } = this.#parts;
    explanations.record(attempt, nodes.names, {
      scheduler,
      at: clock.now(),
      attempt: queued.attempts,
      ...(message === undefined ? {} : { message }),
    });
  }
}
