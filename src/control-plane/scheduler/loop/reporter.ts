import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { QueuedPod } from '../queue/queued-pod.ts';
import { Pending } from './pending.ts';

export interface ReporterDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventRecorder;
}

/** Reason why a pod has no node: none is feasible, or an error occurred. */
export type FailureReason = 'Unschedulable' | 'SchedulerError';

/** Maximum length of an Event's note. */
const MAX_NOTE_LENGTH = 1024;

/**
 * Reports the outcome of scheduling a pod by Events and its PodScheduled condition, which is written only if it
 * changes.
 */
export class Reporter {
  readonly #parts: ReporterDeps;
  readonly #pending = new Pending();

  constructor(parts: ReporterDeps) {
    this.#parts = parts;
  }

  scheduled(pod: Pod, nodeName: string): void {
    const { namespace = '', name = '' } = pod.metadata;
    this.#parts.events.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
  }

  /** Reports a failure. `nominatedNode` is the node being freed, '' clears an earlier one and undefined leaves it. */
  notScheduled(queued: QueuedPod, reason: FailureReason, message: string, nominatedNode: string | undefined): void {
    const { pod } = queued.info;
    this.#parts.events.event(pod, 'Warning', 'FailedScheduling', truncateNote(message));
    const nomination = nominatedNode ?? pod.status?.nominatedNodeName ?? '';
    const reported = `${reason}\n${message}\n${nomination}`;
    if (queued.reported === reported) return;
    const first = queued.reported === '';
    queued.reported = reported;
    if (first && saysAlready(pod, reason, message, nomination)) return;
    this.#write(pod, this.#condition(pod, reason, message), nomination);
  }

  skipped(pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata;
    const message = `skip schedule deleting pod: ${namespace}/${name}`;
    this.#parts.events.event(pod, 'Warning', 'FailedScheduling', message);
  }

  /** Resolves when all pending writes are done. */
  async settled(): Promise<void> {
    await this.#pending.settled();
  }

  #condition(pod: Pod, reason: FailureReason, message: string): KubeCondition {
    const before = conditionOf(pod.status?.conditions, 'PodScheduled');
    const now = timestamp(this.#parts.clock.now());
    const { generation } = pod.metadata;
    return {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: before?.status === 'False' ? (before.lastTransitionTime ?? now) : now,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  }

  #write(pod: Pod, condition: KubeCondition, nomination: string): void {
    const { client, log } = this.#parts;
    const { namespace = '', name = '' } = pod.metadata;
    const nominated = nomination === (pod.status?.nominatedNodeName ?? '') ? {} : { nominatedNodeName: nomination };
    const body = { status: { conditions: [condition], ...nominated } };
    this.#pending.add(async () => {
      try {
        await client.patch(PODS, name, { type: 'strategic', body }, { namespace, subresource: 'status' });
      } catch (error) {
        if (isNotFound(error)) return;
        log.warn({ pod: `${namespace}/${name}`, err: error as Error }, 'failed to write a condition');
      }
    });
  }
}

function saysAlready(pod: Pod, reason: string, message: string, nomination: string): boolean {
  const before = conditionOf(pod.status?.conditions, 'PodScheduled');
  const same = before?.status === 'False' && before.reason === reason && before.message === message;
  return same && nomination === (pod.status?.nominatedNodeName ?? '');
}

function truncateNote(message: string): string {
  return message.length <= MAX_NOTE_LENGTH ? message : `${message.slice(0, MAX_NOTE_LENGTH - 4)} ...`;
}
