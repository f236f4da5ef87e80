import type { ObservedNode } from '#fleet/rebalance/observed-fleet';
import type { LiveCluster } from '#fleet/rebalance/rebalance-loop';
import { SOURCES } from '#fleet/rebalance/recording-rules';
import type { Clock } from '#platform/base/clock';
import { VimanaError } from '#platform/base/errors';
import { formatDurationFlag } from '../duration-option.ts';
import { fetchText } from './fetch-text.ts';

export interface PrometheusDeps {
  readonly at: string;
  readonly clock: Clock;
  /** Maximum time to wait for a scrape. */
  readonly timeoutMs: number;
}

/** Maps each measure to its field in the observation of a node. */
const FIELDS = {
  [SOURCES.cpu_usage]: 'cpuUsage',
  [SOURCES.cpu_pressure]: 'cpuPressure',
  [SOURCES.memory_usage]: 'memoryUsage',
  [SOURCES.memory_pressure]: 'memoryPressure',
} as const;

type Measures = Pick<ObservedNode, (typeof FIELDS)[keyof typeof FIELDS]>;
type Metric = keyof typeof FIELDS;

const ALL = `{__name__=~"${Object.keys(FIELDS).join('|')}",node!=""}`;
/** Time of the oldest scrape among all nodes. If several sources report the same node, the latest counts. */
const OLDEST_SAMPLE = `scalar(min(max by (node) (timestamp(${SOURCES.cpu_usage}{node!=""}))))`;

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Returns a cluster that is measured by Prometheus. The exporter reports placements, and moves VMs. */
export function measuredByPrometheus(exporter: LiveCluster, parts: PrometheusDeps): LiveCluster {
  return {
    move: (moves) => exporter.move(moves),
    async observe(signal) {
      await waitForScrape(parts, signal);
      const [measures, nodes] = [await measuresOf(parts, signal), await exporter.observe(signal)];
      const known = nodes.flatMap((node) => {
        const measured = measures.get(node.name);
        return measured === undefined ? [] : [{ ...node, ...measured }];
      });
      if (known.length > 0) return known;
      throw new VimanaError(
        'REFUSED',
        `Prometheus has no metrics for any of the ${nodes.length} nodes of the exporter`,
        {
          hint: 'Check that it scrapes this exporter.',
        },
      );
    },
  };
}

/**
 * Waits until everything in Prometheus was measured after the call, by its own clock. It does not announce scrapes, so
 * it is polled with growing intervals.
 */
async function waitForScrape({ at, clock, timeoutMs }: PrometheusDeps, signal: AbortSignal): Promise<void> {
  let from: number | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    const [now, oldest] = await query<readonly [number, string]>(at, OLDEST_SAMPLE, signal);
    from ??= now;
    if (Number(oldest) > from) return;
    if (now - from > timeoutMs / 1000) {
      const why = oldest === 'NaN' ? `there is no ${SOURCES.cpu_usage}` : 'there was no scrape';
      throw new VimanaError('TIMEOUT', `Prometheus has no new metrics after ${formatDurationFlag(timeoutMs)}: ${why}`, {
        hint: 'Check that it scrapes the exporter. --patience sets how long to wait.',
      });
    }
    await clock.sleep(pause, signal);
  }
}

async function measuresOf({ at }: PrometheusDeps, signal: AbortSignal): Promise<Map<string, Measures>> {
  type Sample = {
    readonly metric: { readonly __name__: Metric; readonly node: string };
    readonly value: [number, string];
  };
  const found = new Map<string, Partial<Record<keyof Measures, number>>>();
  for (const { metric, value } of await query<readonly Sample[]>(at, ALL, signal)) {
    const measures = found.get(metric.node) ?? {};
    const field = FIELDS[metric.__name__];
    // The recording rules do the same if two exporters report the same node.
    measures[field] = Math.max(measures[field] ?? 0, Number(value[1]));
    found.set(metric.node, measures);
  }
  const isWhole = (measures: Partial<Measures>): measures is Measures =>
    Object.keys(measures).length === Object.keys(FIELDS).length;
  return new Map([...found].flatMap(([node, measures]) => (isWhole(measures) ? [[node, measures] as const] : [])));
}

async function query<T>(at: string, text: string, signal: AbortSignal): Promise<T> {
  const path = `api/v1/query?query=${encodeURIComponent(text)}`;
  const { data } = await fetchText<{ data: { result: T } }>({
    ...{ who: 'Prometheus', at, path, signal },
    hint: 'Check the address in --prometheus.',
  });
  return data.result;
}
