import type { ObservedNode } from '#fleet/rebalance/observed-fleet';
import type { LiveCluster, MadeMove } from '#fleet/rebalance/rebalance-loop';
import { VimanaError } from '#platform/base/errors';
import { fetchText } from './fetch-text.ts';

const WHO = 'the exporter';

interface ExportedNode {
  readonly name: string;
  readonly cpu_cores: number;
  readonly memory_bytes: number;
  readonly cpu_usage: number;
  readonly cpu_pressure: number;
  readonly memory_usage: number;
  readonly memory_pressure: number;
  readonly vms: readonly {
    readonly id: string;
    readonly cpu_consumption: number;
    readonly memory_consumption: number;
  }[];
}

/** Returns a cluster as its exporter reports it, which is the state of its watches a moment ago. */
export function exporterCluster(at: string, token?: () => string | undefined): LiveCluster {
  return {
    async observe(signal) {
      const { nodes } = await fetchText<{ nodes?: readonly ExportedNode[] }>({
        who: WHO,
        at,
        path: 'scenario',
        token: token?.(),
        signal,
      });
      if (!Array.isArray(nodes) || !nodes.every(isExportedNode)) {
        throw new VimanaError('REFUSED', `${at} is not a Vimana exporter: its response to /scenario has no nodes`);
      }
      // A node without capacity has no load and accepts none.
      return nodes.filter(({ cpu_cores, memory_bytes }) => cpu_cores > 0 && memory_bytes > 0).map(toObservedNode);
    },
    async move(migrations) {
      const { results } = await fetchText<{ results: readonly MadeMove[] }>({
        ...{ who: WHO, at, path: 'feedback' },
        token: token?.(),
        body: { migrations },
      });
      return results;
    },
  };
}

function isExportedNode(node: Partial<ExportedNode> | null): node is ExportedNode {
  return typeof node?.name === 'string' && typeof node.cpu_usage === 'number' && Array.isArray(node.vms);
}

function toObservedNode(node: ExportedNode): ObservedNode {
  return {
    name: node.name,
    cpuCores: node.cpu_cores,
    memoryBytes: node.memory_bytes,
    cpuUsage: node.cpu_usage,
    cpuPressure: node.cpu_pressure,
    memoryUsage: node.memory_usage,
    memoryPressure: node.memory_pressure,
    vms: node.vms.map(({ id, cpu_consumption, memory_consumption }) => ({
      id,
      cpu: cpu_consumption,
      memory: memory_consumption,
    })),
  };
}
