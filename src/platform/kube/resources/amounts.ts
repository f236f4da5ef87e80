import { add, compare, formatQuantity, parseQuantity, type Quantity } from '#platform/base/quantity';
import type { ResourceList } from '../kinds/pod.ts';

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>;

export function amountsOf(list: ResourceList | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const name in list) amounts.set(name, parseQuantity(list[name] ?? '0'));
  return amounts;
}

export function formatAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

export function addTo(sum: Amounts, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : add(before, amount));
  }
}

/** Raises every amount to at least the one in `least`. */
export function raiseTo(amounts: Amounts, min: Amounts): void {
  for (const [name, amount] of min) {
    const before = amounts.get(name);
    if (before === undefined || compare(before, amount) < 0) amounts.set(name, amount);
  }
}
