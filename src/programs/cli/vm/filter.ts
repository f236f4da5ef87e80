import { UsageError } from '#platform/base/errors';
import { compare, type Quantity, tryParseQuantity } from '#platform/base/quantity';
import { VM_STATES } from '#vm/view/vm-states';
import type { VmSummary } from '#vm/view/vm-summary';

/** Flags that filter VMs by the columns of a list. */
export interface FilterFlags {
  /** States, separated by commas. */
  readonly status?: string;
  readonly node?: string;
  readonly minCpus?: number;
  readonly minMemory?: Quantity;
}

export type Keeps = (summary: VmSummary) => boolean;

/**
 * Returns a predicate for the requested VMs. A VM of unknown size matches no minimum size. Throws a UsageError for a
 * state that no VM can be in.
 */
export function filterOf({ status, node, minCpus, minMemory }: FilterFlags): Keeps {
  const states = status?.split(',').map(stateOf);
  return (machine) =>
    (states === undefined || states.includes(machine.status)) &&
    (node === undefined || machine.node === node) &&
    (minCpus === undefined || Number(machine.cpus || '0') >= minCpus) &&
    (minMemory === undefined || isAtLeast(machine.memory, minMemory));
}

function stateOf(given: string): string {
  const desired = given.trim().toLowerCase();
  const state = VM_STATES.find((each) => each.toLowerCase() === desired);
  if (state !== undefined) return state;
  throw new UsageError(`--status ${given.trim()}: unknown state`, {
    hint: `States are ${VM_STATES.join(', ')}.`,
  });
}

function isAtLeast(memory: string, min: Quantity): boolean {
  const amount = tryParseQuantity(memory);
  return amount !== undefined && compare(amount, min) >= 0;
}
