import type { Acceptance, ExportedVm } from './fleet-backend.ts';
import type { NodeLoad } from './node-load.ts';

/** Formats a node as in scenario files, so that the output can be loaded again. */
export function formatNode(load: NodeLoad, vms: readonly ExportedVm[], accepts?: Acceptance): object {
  return {
    name: load.name,
    cpu_usage: load.cpuUsage,
    cpu_pressure: load.cpuPressure,
    memory_usage: load.memoryUsage,
    memory_pressure: load.memoryPressure,
    cpu_cores: load.cpuCores,
    memory_bytes: load.memoryBytes,
    ...(accepts === undefined ? {} : formatAcceptance(accepts)),
    vms,
  };
}

const formatAcceptance = ({ isReady, isCordoned, freeCores, freeBytes }: Acceptance) => ({
  ready: isReady,
  cordoned: isCordoned,
  free_cpu_cores: freeCores,
  free_memory_bytes: freeBytes,
});
