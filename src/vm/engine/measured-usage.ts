import type { Vmi } from '#api/kubevirt/resources';
import { LAUNCHER_LABEL, LAUNCHER_LABEL_VALUE } from '#api/launcher';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';
import { type PodMetrics, podMetricsPath, totalUsage } from '#platform/kube/pod-metrics';
import { byController, type Cache, controllerKey } from '#platform/runtime/cache';
import { keyIn, keyOf } from '#platform/runtime/key';
import { consumptionOf } from '#vm/usage/consumption';
import { isSimulatedNode } from '#vm/usage/reference-node';
import type { VmUsage } from './metrics.ts';

/** Interval between requests for the metrics of all launchers. */
const EVERY_MS = 60_000;
/** Interval while the metrics API is not served, which seldom changes. */
const WHERE_NONE_MS = 300_000;
const TIMEOUT_MS = 30_000;
/** Maximum age of a measurement. */
const GOOD_FOR_MS = 300_000;

export interface MeasuredUsageDeps {
  readonly client: Pick<Client, 'raw'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  /** Namespace to watch. Empty means all namespaces. */
  readonly namespace: string;
}

/**
 * Usage of VMs on an existing cluster, from metrics.k8s.io if it is served, otherwise as simulated pods report it
 * themselves. A missing metrics API is no error; usage is unknown then.
 */
export class MeasuredUsage {
  readonly #parts: MeasuredUsageDeps;
  #measures: ReadonlyMap<string, VmUsage> = new Map();
  #at = Number.NEGATIVE_INFINITY;
  /** Last logged availability of metrics. */
  #reported = '';

  constructor(parts: MeasuredUsageDeps) {
    this.#parts = parts;
  }

  /** Returns the usage of an instance's pod on the node of the instance. */
  of({ metadata, status }: Vmi): VmUsage | undefined {
    for (const pod of this.#parts.pods.by(byController, controllerKey({ metadata }))) {
      if (pod.spec.nodeName !== status?.nodeName) continue;
      return this.#measures.get(keyOf(pod)) ?? this.#said(pod);
    }
    return undefined;
  }

  /** Polls until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      const served = await this.#fetch(signal);
      await clock.sleep(served ? EVERY_MS : WHERE_NONE_MS, signal).catch(() => {});
    }
  }

  /** Fetches the metrics once. Reports whether the metrics API is served. */
  async #fetch(signal: AbortSignal): Promise<boolean> {
    const { client, clock, namespace } = this.#parts;
    const timeoutMs = new AbortController();
    const timer = clock.timer(TIMEOUT_MS, () => timeoutMs.abort(new Error(`no response within ${TIMEOUT_MS / 1000}s`)));
    try {
      const path = `${podMetricsPath(namespace)}?labelSelector=${encodeURIComponent(`${LAUNCHER_LABEL}=${LAUNCHER_LABEL_VALUE}`)}`;
      const text = await client.raw(path, { signal: AbortSignal.any([signal, timeoutMs.signal]) });
      const { items = [] } = JSON.parse(text) as { readonly items?: readonly PodMetrics[] };
      this.#measures = new Map(
        items.map((each) => [keyIn(each.metadata?.namespace, each.metadata?.name ?? ''), totalUsage(each)]),
      );
      this.#at = clock.monotonic();
      this.#report('fetching VM usage from metrics.k8s.io');
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const none = isNotFound(error);
      if (none || clock.monotonic() - this.#at > GOOD_FOR_MS) this.#measures = new Map();
      const why = none ? 'it is not served' : (error as Error).message;
      this.#report(`cannot fetch VM usage from metrics.k8s.io: ${why}`);
      return !none;
    } finally {
      timer.cancel();
    }
  }

  /** Returns the usage that a simulated pod reports itself. */
  #said(pod: Pod): VmUsage | undefined {
    const node = this.#parts.nodes.get(pod.spec.nodeName ?? '');
    if (node === undefined || !isSimulatedNode(node) || pod.status?.phase !== 'Running') return undefined;
    const [cpuCores, memoryBytes] = [consumptionOf(pod, node, 'cpu'), consumptionOf(pod, node, 'memory')];
    if (cpuCores === undefined && memoryBytes === undefined) return undefined;
    return { cpuCores: cpuCores ?? 0, memoryBytes: memoryBytes ?? 0 };
  }

  #report(words: string): void {
    if (words === this.#reported) return;
    this.#reported = words;
    this.#parts.log.info({}, words);
  }
}
