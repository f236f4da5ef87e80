import type { Vmi } from '#api/kubevirt/resources';
import { dialectOf } from '#vm/dialects/dialect-of';
import { groupOf } from '#vm/view/vm-object';
import { ageOf, type VmSummary, vmSummary } from '#vm/view/vm-summary';
import type { CliVm } from './vm-kinds.ts';

export function summaryOf(machine: CliVm, instance: Vmi | undefined): VmSummary {
  return vmSummary(machine, instance, dialectOf(groupOf(machine)));
}

export const HEADINGS = ['NAME', 'GROUP', 'STATUS', 'READY', 'AGE'];
export const WIDE_HEADINGS = [...HEADINGS, 'NODE', 'IP', 'CPUS', 'MEMORY'];

export function cellsOf(summary: VmSummary, now: number, { wide }: { readonly wide: boolean }): string[] {
  const { name, group, status, ready, node, ip, cpus, memory } = summary;
  const cells = [name, group, status, ready, ageOf(summary, now) ?? '<unknown>'];
  return wide ? [...cells, ...[node, ip, cpus, memory].map((cell) => cell || '<none>')] : cells;
}
