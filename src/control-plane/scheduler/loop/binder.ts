import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { EventHandlers } from './event-handlers.ts';
import { Pending } from './pending.ts';
import type { Reporter } from './reporter.ts';

export interface BinderDeps {
  readonly client: Client;
  readonly queue: SchedulingQueue;
  readonly handlers: EventHandlers;
  readonly reporter: Reporter;
  readonly log: Logger;
  /** Runs whenever a binding has finished. */
  readonly ended: () => void;
}

/** Binds pods to nodes at the server while the next pods are already being scheduled. */
export class Binder {
  readonly #parts: BinderDeps;
  readonly #pending = new Pending();

  constructor(parts: BinderDeps) {
    this.#parts = parts;
  }

  /** Number of bindings in progress. */
  get size(): number {
    return this.#pending.size;
  }

  /** Assumes the pod on the node at once. `before` runs before the binding is written to the server. */
  bind(queued: QueuedPod, nodeName: string, before: (() => Promise<void>) | undefined): void {
    const { handlers, ended } = this.#parts;
    handlers.assume(queued.info, nodeName);
    this.#pending.add(async () => {
      await this.#bind(queued, nodeName, before);
      ended();
    });
  }

  async settled(): Promise<void> {
    await this.#pending.settled();
  }

  async #bind(queued: QueuedPod, nodeName: string, before: (() => Promise<void>) | undefined): Promise<void> {
    const { client, reporter } = this.#parts;
    const { pod, name, namespace, uid } = queued.info;
    let step = 'PreBind plugin "VolumeBinding": binding volumes';
    try {
      await before?.();
      step = 'Bind plugin "DefaultBinder"';
      const metadata = { name, namespace, uid };
      const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
      await client.act(PODS, name, 'binding', { apiVersion: 'v1', kind: 'Binding', metadata, target }, { namespace });
      reporter.scheduled(pod, nodeName);
    } catch (error) {
      this.#failed(queued, step, error);
    }
  }

  /** Undoes the assumption. A pod that still exists and has no node is tried again. */
  #failed(queued: QueuedPod, step: string, error: unknown): void {
    const { queue, handlers, reporter, log } = this.#parts;
    handlers.forget(queued.info);
    queue.failed(queued);
    if (isNotFound(error) || queued.where === 'gone') return;
    log.warn({ pod: queued.info.key, err: error as Error }, 'failed to bind a pod');
    reporter.notScheduled(queued, 'SchedulerError', `running ${step}: ${(error as Error).message}`, '');
  }
}
