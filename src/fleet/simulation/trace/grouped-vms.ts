import type { TraceVm } from './trace-vms.ts';

/** VMs of similar size and usage, which become one pool. */
export interface VmGroup {
  readonly cores: number;
  readonly memoryGi: number;
  readonly vms: readonly TraceVm[];
}

/**
 * Groups VMs into at most `max` pools. VMs of the same size are divided by their mean CPU usage; if there are too many
 * sizes, the rarest ones count as the nearest of the others. Few VMs stay alone.
 */
export function groupedVms(vms: readonly TraceVm[], max: number): readonly VmGroup[] {
  const bySize = [...Map.groupBy(vms, (vm) => `${vm.cores} ${vm.memoryGi}`).values()].sort(
    (a, b) => b.length - a.length || sizeOrder(a[0], b[0]),
  );
  const kept = bySize.slice(0, max).map((some) => [...some]);
  for (const some of bySize.slice(max)) nearestTo(some[0], kept).push(...some);
  const isSmall = vms.length <= max;
  const bands = Math.floor(max / Math.max(1, kept.length));
  return kept.flatMap((some) => groupsByLoad(some, isSmall ? some.length : bands));
}

function groupsByLoad(vms: readonly TraceVm[], bands: number): VmGroup[] {
  const [first] = vms;
  if (first === undefined) return [];
  const { cores, memoryGi } = first;
  const sorted = vms.toSorted((a, b) => (a.cpu?.overall ?? 0) - (b.cpu?.overall ?? 0) || (a.id < b.id ? -1 : 1));
  const size = Math.ceil(sorted.length / bands);
  return Array.from({ length: Math.ceil(sorted.length / size) }, (_, at) => ({
    cores,
    memoryGi,
    vms: sorted.slice(at * size, (at + 1) * size),
  }));
}

function nearestTo(vm: TraceVm | undefined, groups: readonly TraceVm[][]): TraceVm[] {
  const distance = ([other]: readonly TraceVm[]) =>
    vm === undefined || other === undefined
      ? 0
      : Math.abs(Math.log(vm.cores / other.cores)) + Math.abs(Math.log(vm.memoryGi / other.memoryGi));
  return groups.reduce((best, each) => (distance(each) < distance(best) ? each : best));
}

const sizeOrder = (a: TraceVm | undefined, b: TraceVm | undefined) =>
  (a?.cores ?? 0) - (b?.cores ?? 0) || (a?.memoryGi ?? 0) - (b?.memoryGi ?? 0);
