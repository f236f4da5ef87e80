import type { ObservedNode, ObservedVm } from '#fleet/rebalance/observed-fleet';
import type { LiveCluster, MadeMove } from '#fleet/rebalance/rebalance-loop';
import { VimanaError } from '#platform/base/errors';
import { fetchText } from './fetch-text.ts';

const WHO = 'the exporter';
const HINT =
  'vimana up runs one, and vimana status prints its address for --exporter. On another cluster, start one: vimana exporter.';

interface ExportedNode {
  readonly name: string;
  readonly cpu_cores: number;
  readonly memory_bytes: number;
  readonly cpu_usage: number;
  readonly cpu_pressure: number;
  readonly memory_usage: number;
  readonly memory_pressure: number;
  readonly ready?: boolean;
  readonly cordoned?: boolean;
  readonly free_cpu_cores?: number;
  readonly free_memory_bytes?: number;
  readonly vms: readonly ReportedVm[];
}

interface ReportedVm {
  readonly id: string;
  readonly cpu_consumption: number;
  readonly memory_consumption: number;
  readonly cpu_request?: number;
  readonly memory_request?: number;
  readonly excluded_nodes?: readonly string[];
  readonly budgets?: readonly { readonly name: string; readonly disruptions_allowed: number }[];
  readonly seconds_since_move?: number;
}

/** Component that decides where VMs go. */
export const DESTINATIONS = ['planner', 'scheduler'] as const;
export type Destinations = (typeof DESTINATIONS)[number];

/** Returns a cluster as its exporter reports it, which is the state of its watches a moment ago. */
export function exporterCluster(at: string, destinations: Destinations, token?: () => string | undefined): LiveCluster {
  return {
    async observe(signal) {
      const { nodes } = await fetchText<{ nodes?: readonly ExportedNode[] }>({
        who: WHO,
        at,
        path: 'scenario',
        hint: HINT,
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
        ...{ who: WHO, at, path: 'feedback', hint: HINT },
        token: token?.(),
        body: { migrations, destinations },
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
    isReady: node.ready ?? true,
    isCordoned: node.cordoned ?? false,
    ...(node.free_cpu_cores === undefined || node.free_memory_bytes === undefined
      ? {}
      : { free: { cpu: node.free_cpu_cores, memory: node.free_memory_bytes } }),
    vms: node.vms.map(toObservedVm),
  };
}

function toObservedVm(vm: ReportedVm): ObservedVm {
  const { cpu_request: cpu, memory_request: memory, excluded_nodes, budgets, seconds_since_move } = vm;
  return {
    ...{ id: vm.id, cpu: vm.cpu_consumption, memory: vm.memory_consumption },
    ...(cpu === undefined || memory === undefined ? {} : { request: { cpu, memory } }),
    ...(excluded_nodes === undefined ? {} : { excluded: excluded_nodes }),
    ...(budgets === undefined
      ? {}
      : { budgets: budgets.map(({ name, disruptions_allowed: allowed }) => ({ name, allowed })) }),
    ...(seconds_since_move === undefined ? {} : { secondsSinceMove: seconds_since_move }),
  };
}
