import { add, compare, isZero, parseQuantity, type Quantity } from '#platform/base/quantity';
import type { Pod, Quantities } from '../kinds/pod/pod-spec.ts';

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>;

/**
 * Returns the requests of a pod: the sum of its containers, or its startup if that needs more, plus the runtime
 * overhead.
 */
export function podRequests({ spec }: Pod): Amounts {
  const amounts = aggregate(spec, 'requests');
  takePodLevel(amounts, spec.resources?.requests);
  for (const [name, amount] of amountsOf(spec.overhead)) increase(amounts, name, amount);
  return amounts;
}

/** Returns the limits of a pod. The runtime overhead counts only for resources with a limit. */
export function podLimits({ spec }: Pod): Amounts {
  const amounts = aggregate(spec, 'limits');
  takePodLevel(amounts, spec.resources?.limits);
  for (const [name, amount] of amountsOf(spec.overhead)) {
    const limit = amounts.get(name);
    if (limit !== undefined && !isZero(limit)) amounts.set(name, add(limit, amount));
  }
  return amounts;
}

export function amountsOf(quantities: Quantities | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, text] of Object.entries(quantities ?? {})) amounts.set(name, parseQuantity(text));
  return amounts;
}

/** Aggregates containers. Init containers run one after another, each beside the restartable ones before it. */
function aggregate(spec: Pod['spec'], which: 'requests' | 'limits'): Amounts {
  const running: Amounts = new Map();
  for (const { resources } of spec.containers ?? []) addAll(running, amountsOf(resources?.[which]));
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources?.[which]);
    if (restartPolicy === 'Always') {
      addAll(running, own);
      addAll(sidecars, own);
      raise(starting, sidecars);
    } else {
      addAll(own, sidecars);
      raise(starting, own);
    }
  }
  raise(running, starting);
  return running;
}

/** Replaces the sum of the containers by the resources at pod level. */
function takePodLevel(amounts: Amounts, quantities: Quantities | undefined): void {
  for (const [name, amount] of amountsOf(quantities)) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) amounts.set(name, amount);
  }
}

function addAll(amounts: Amounts, more: Amounts): void {
  for (const [name, amount] of more) increase(amounts, name, amount);
}

export function increase(amounts: Amounts, name: string, amount: Quantity): void {
  const present = amounts.get(name);
  amounts.set(name, present === undefined ? amount : add(present, amount));
}

function raise(amounts: Amounts, other: Amounts): void {
  for (const [name, amount] of other) {
    const present = amounts.get(name);
    if (present === undefined || compare(amount, present) > 0) amounts.set(name, amount);
  }
}
