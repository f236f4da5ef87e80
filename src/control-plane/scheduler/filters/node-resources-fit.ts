import { type Filter, type FilterStatus, filterStatus, type PreFilterState } from '../framework/filter.ts';
import type { PodInfo } from '../pod/pod-info.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

const name = 'NodeResourcesFit';
const TOO_MANY = filterStatus(name, 'Too many pods', true);

export interface FitFilterArgs {
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
}

/** Rejects nodes whose free resources are less than the pod requests. */
export function nodeResourcesFit(args: FitFilterArgs = {}): Filter {
  return { name, prepare: (pod, { nodes }) => fitChecks(pod, nodes, args) };
}

function fitChecks(pod: PodInfo, nodes: Snapshot, args: FitFilterArgs): PreFilterState {
  const { columns } = nodes;
  const { pods, allowedPods, allocatableCpu, cpu, allocatableMemory, memory, allocatableStorage, storage } = columns;
  const scalars = pod.scalars
    .filter(([resource]) => !isIgnored(resource, args))
    .map(([resource, requested]) => ({ resource, asked: requested, column: columns.scalars.get(resource) }));
  const asksNothing = pod.cpu === 0 && pod.memory === 0 && pod.ephemeralStorage === 0 && pod.scalars.length === 0;
  const refusals = new Map<string, FilterStatus>();

  /** Describes, on the slow path, the resources that a node lacks and reports whether preemption could free them. */
  const lacking = (slot: number): FilterStatus => {
    const reasons: string[] = [];
    let possible = true;
    const compare = (resource: string, requested: number, has: number, taken: number) => {
      if (requested === 0 || requested <= has - taken) return;
      reasons.push(`Insufficient ${resource}`);
      if (requested > has) possible = false;
    };
    if ((pods[slot] ?? 0) + 1 > (allowedPods[slot] ?? 0)) reasons.push('Too many pods');
    if (asksNothing) return TOO_MANY;
    compare('cpu', pod.cpu, allocatableCpu[slot] ?? 0, cpu[slot] ?? 0);
    compare('memory', pod.memory, allocatableMemory[slot] ?? 0, memory[slot] ?? 0);
    compare('ephemeral-storage', pod.ephemeralStorage, allocatableStorage[slot] ?? 0, storage[slot] ?? 0);
    for (const { resource, asked: requested, column } of scalars) {
      compare(resource, requested, column?.allocatable[slot] ?? 0, column?.requested[slot] ?? 0);
    }
    const key = `${possible}${reasons.join()}`;
    let found = refusals.get(key);
    if (found === undefined) {
      found = { plugin: name, reasons, preemptable: possible };
      refusals.set(key, found);
    }
    return found;
  };

  const fits = (slot: number): boolean => {
    if ((pods[slot] ?? 0) + 1 > (allowedPods[slot] ?? 0)) return false;
    if (asksNothing) return true;
    if (pod.cpu > 0 && pod.cpu > (allocatableCpu[slot] ?? 0) - (cpu[slot] ?? 0)) return false;
    if (pod.memory > 0 && pod.memory > (allocatableMemory[slot] ?? 0) - (memory[slot] ?? 0)) return false;
    if (pod.ephemeralStorage > 0 && pod.ephemeralStorage > (allocatableStorage[slot] ?? 0) - (storage[slot] ?? 0)) {
      return false;
    }
    for (const { asked: requested, column } of scalars) {
      if (column === undefined || requested > (column.allocatable[slot] ?? 0) - (column.requested[slot] ?? 0))
        return false;
    }
    return true;
  };
  return { check: (slot) => (fits(slot) ? undefined : lacking(slot)) };
}

function isIgnored(resource: string, { ignoredResources = [], ignoredResourceGroups = [] }: FitFilterArgs): boolean {
  return ignoredResources.includes(resource) || ignoredResourceGroups.includes(resource.split('/')[0] ?? '');
}
