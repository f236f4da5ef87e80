import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { PodInfo } from '../pod/pod-info.ts';
import { PREEMPTED } from '../preemption/preempt.ts';
import { Pending } from './pending.ts';

export interface PreemptionExecutorDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventRecorder;
}

/** Evicts pods for one of higher priority. */
export class PreemptionExecutor {
  readonly #parts: PreemptionExecutorDeps;
  readonly #pending = new Pending();

  constructor(parts: PreemptionExecutorDeps) {
    this.#parts = parts;
  }

  /** Evicts the victims and calls `failed` if one of them could not be evicted. */
  evict(victims: readonly PodInfo[], preemptor: PodInfo, nodeName: string, failed: () => void): void {
    this.#pending.add(async () => {
      const results = await Promise.allSettled(victims.map((victim) => this.#evict(victim, preemptor, nodeName)));
      const rejected = results.find((result) => result.status === 'rejected');
      if (rejected === undefined) return;
      this.#parts.log.warn({ pod: preemptor.key, err: rejected.reason as Error }, 'failed to preempt a pod');
      failed();
    });
  }

  /** Clears the nomination of a lower-priority pod in its status. */
  withdraw({ name, namespace }: PodInfo): void {
    const body = { status: { nominatedNodeName: '' } };
    this.#pending.add(async () => {
      try {
        const { client } = this.#parts;
        await client.patch(PODS, name, { type: 'strategic', body }, { namespace, subresource: 'status' });
      } catch (error) {
        this.#parts.log.debug({ err: error as Error }, 'failed to clear a nomination');
      }
    });
  }

  async settled(): Promise<void> {
    await this.#pending.settled();
  }

  async #evict({ pod, name, namespace, uid }: PodInfo, preemptor: PodInfo, nodeName: string): Promise<void> {
    const { client, clock, events } = this.#parts;
    const scheduler = preemptor.pod.spec.schedulerName ?? 'default-scheduler';
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: PREEMPTED,
      message: `${scheduler}: preempting to accommodate a higher priority pod`,
      lastProbeTime: null,
      lastTransitionTime: timestamp(clock.now()),
    };
    try {
      const body = { status: { conditions: [condition] } };
      await client.patch(PODS, name, { type: 'strategic', body }, { namespace, subresource: 'status' });
      await client.delete(PODS, name, { namespace, preconditions: { uid } });
      events.event(pod, 'Normal', 'Preempted', `Preempted by pod ${preemptor.uid} on node ${nodeName}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
