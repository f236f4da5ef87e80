import { compare, type Quantity, tryParseQuantity } from '../../base/quantity.ts';
import type { Summary } from './summary.ts';

/** Which machines are wanted, by what a list shows of them. */
export interface FilterFlags {
  /** States, separated by commas. */
  readonly status?: string;
  readonly node?: string;
  readonly minCpus?: number;
  readonly minMemory?: Quantity;
}

export type Keeps = (summary: Summary) => boolean;

/** Whether a machine is among those that are asked for; one whose size is not known is in no list of large ones. */
export function filterOf({ status, node, minCpus, minMemory }: FilterFlags): Keeps {
  const states = status?.split(',').map((each) => each.trim().toLowerCase());
  return (machine) =>
    (states === undefined || states.includes(machine.status.toLowerCase())) &&
    (node === undefined || machine.node === node) &&
    (minCpus === undefined || Number(machine.cpus || '0') >= minCpus) &&
    (minMemory === undefined || isAtLeast(machine.memory, minMemory));
}

function isAtLeast(memory: string, least: Quantity): boolean {
  const amount = tryParseQuantity(memory);
  return amount !== undefined && compare(amount, least) >= 0;
}
