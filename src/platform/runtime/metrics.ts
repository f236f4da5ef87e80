import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueMetrics, RunResult } from './queue-metrics.ts';

/** Metric that is collected only on scrape. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Type of the metric. Defaults to gauge. */
  readonly type?: 'gauge' | 'counter';
  /** Returns one value for each current set of labels. */
  values(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>;
}

export interface MetricsOptions {
  /**
   * Also reports metrics of the process itself: memory, CPU time, event loop. Use it for the real process only, as it
   * measures continuously.
   */
  readonly process?: boolean;
}

const RECONCILE_SECONDS = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);
const QUEUE_SECONDS = [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/**
 * Metrics of a process, for Prometheus. Controllers report under `vimana_reconcile_*`, and their queues under the names
 * that dashboards of Kubernetes know (`workqueue_*`).
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #secondNames: { readonly of: RegExp; readonly first: string; readonly second: string }[] = [];
  readonly #depths = new Map<string, () => number>();
  readonly #reconciles = this.#counter('vimana_reconcile_total', 'Reconciliations of a controller, by result.', [
    'controller',
    'result',
  ]);
  readonly #reconcileSeconds = this.#histogram(
    'vimana_reconcile_duration_seconds',
    'Duration of the reconciliations of a controller.',
    ['controller'],
    RECONCILE_SECONDS,
  );
  readonly #adds = this.#counter('workqueue_adds_total', 'Keys added to a queue.', ['name']);
  readonly #retries = this.#counter('workqueue_retries_total', 'Retries of keys.', ['name']);
  readonly #queueSeconds = this.#histogram(
    'workqueue_queue_duration_seconds',
    'Time that keys waited in the queue.',
    ['name'],
    QUEUE_SECONDS,
  );
  readonly #workSeconds = this.#histogram(
    'workqueue_work_duration_seconds',
    'Time that keys were processed.',
    ['name'],
    QUEUE_SECONDS,
  );
  readonly #eventDrops = this.#counter('vimana_events_dropped_total', 'Events that were not written, by reason.', [
    'reason',
  ]);

  constructor({ process = false }: MetricsOptions = {}) {
    if (process) collectDefaultMetrics({ register: this.#registry });
    this.measure({
      name: 'workqueue_depth',
      help: 'Keys waiting in the queue.',
      labels: ['name'],
      values: () => this.#depths.entries().map(([name, depth]) => ({ labels: { name }, value: depth() })),
    });
  }

  /** Creates the metrics of a controller's queue. `depth` returns the number of queued keys. */
  controller(name: string, depth: () => number): QueueMetrics {
    const queue = this.queue(name, depth);
    const results: Record<RunResult, { inc(): void }> = {
      success: this.#reconciles.labels(name, 'success'),
      error: this.#reconciles.labels(name, 'error'),
      requeue: this.#reconciles.labels(name, 'requeue'),
    };
    const took = this.#reconcileSeconds.labels(name);
    return {
      ...queue,
      finished(result, seconds) {
        queue.finished(result, seconds);
        results[result].inc();
        took.observe(seconds);
      },
    };
  }

  /** Creates the metrics of any other queue. A later one of the same name replaces it. */
  queue(name: string, depth: () => number): QueueMetrics {
    this.#depths.set(name, depth);
    const [adds, retries] = [this.#adds.labels(name), this.#retries.labels(name)];
    const [waited, worked] = [this.#queueSeconds.labels(name), this.#workSeconds.labels(name)];
    return {
      added: () => adds.inc(),
      retried: () => retries.inc(),
      started: (seconds) => waited.observe(seconds),
      finished: (_result, seconds) => worked.observe(seconds),
    };
  }

  eventDropped(reason: string): void {
    this.#eventDrops.inc({ reason });
  }

  /** Registers a metric that is collected on scrape. Its name must be unused. */
  measure(measured: MetricDefinition): void {
    const { name, help, labels: labelNames, type = 'gauge' } = measured;
    const settings = { name, help, labelNames, registers: [] };
    this.#registry.registerMetric(
      type === 'counter'
        ? new Counter({
            ...settings,
            collect() {
              this.reset();
              for (const { labels, value } of measured.values()) this.inc(labels, value);
            },
          })
        : new Gauge({
            ...settings,
            collect() {
              this.reset();
              for (const { labels, value } of measured.values()) this.set(labels, value);
            },
          }),
    );
  }

  /** Reports a metric under a second name too, for users who know it by that name. */
  alsoNamed(first: string, second: string): void {
    if (this.#registry.getSingleMetric(first) === undefined) throw new RangeError(`metric ${first} not found`);
    if (this.#registry.getSingleMetric(second) !== undefined) throw new RangeError(`${second} is another metric`);
    // The name is matched only at the start of a line, where there is no label and no help text.
    this.#secondNames.push({ first, second, of: new RegExp(`^(# (?:HELP|TYPE) )?${first}(?=[ {_])`, 'gm') });
  }

  /** Formats all metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    const parts = [await this.#registry.metrics()];
    for (const { first, second, of } of this.#secondNames) {
      const text = await this.#registry.getSingleMetricAsString(first);
      parts.push(`${text.replaceAll(of, (_all, comment: string | undefined) => `${comment ?? ''}${second}`)}\n`);
    }
    return parts.join('\n');
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.#registry] });
  }
}
