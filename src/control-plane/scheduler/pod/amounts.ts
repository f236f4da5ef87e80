import { milliValue, type Quantity, tryParseQuantity, value } from '#platform/base/quantity';
import type { ResourceList } from '#platform/kube/kinds/pod';

/** Amounts of resources as integers: millicores, bytes or counts. They are exact up to 2^53. */
export type ResourceAmounts = Map<string, number>;

export const CPU = 'cpu';
export const MEMORY = 'memory';
export const EPHEMERAL_STORAGE = 'ephemeral-storage';

/** Parsed quantities are cached, since the same few occur in thousands of objects. */
const MAX_TEXTS = 10_000;
const thousandths = new Map<string, number>();
const units = new Map<string, number>();

export function resourceAmountsOf(list: ResourceList | undefined): ResourceAmounts {
  const amounts: ResourceAmounts = new Map();
  for (const name in list) amounts.set(name, resourceAmountOf(name, list[name] ?? 0));
  return amounts;
}

/**
 * Parses a quantity and rounds fractions up, as Kubernetes does. Invalid quantities count as 0, since the server
 * rejects them.
 */
export function resourceAmountOf(name: string, given: string | number): number {
  const text = String(given);
  return name === CPU ? memoizedAmount(thousandths, text, milliValue) : memoizedAmount(units, text, value);
}

function memoizedAmount(texts: Map<string, number>, text: string, read: (quantity: Quantity) => number): number {
  let amount = texts.get(text);
  if (amount === undefined) {
    const quantity = tryParseQuantity(text);
    amount = quantity === undefined ? 0 : read(quantity);
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(text, amount);
  }
  return amount;
}

/** Reports whether a resource is counted beside CPU, memory and storage. All others are ignored. */
export function isScalar(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')) return true;
  return name.includes('/') && !name.startsWith('requests.');
}
