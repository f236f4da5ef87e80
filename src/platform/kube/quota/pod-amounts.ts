import { add } from '#platform/base/quantity';
import type { PodSpec } from '../kinds/pod.ts';
import { type Amounts, addTo, amountsOf, raiseTo } from './amounts.ts';

/**
 * Returns the requests of a pod: those of its containers, or of its init containers if they are larger, plus the
 * overhead of its runtime.
 */
export function podRequests(spec: PodSpec): Amounts {
  const amounts = total(spec, 'requests');
  addTo(amounts, amountsOf(spec.overhead));
  return amounts;
}

/** Returns the limits of a pod. The overhead of its runtime counts only if there is a limit. */
export function podLimits(spec: PodSpec): Amounts {
  const amounts = total(spec, 'limits');
  for (const [name, amount] of amountsOf(spec.overhead)) {
    const limit = amounts.get(name);
    if (limit !== undefined) amounts.set(name, add(limit, amount));
  }
  return amounts;
}

/** Sums the containers. Init containers run one after another, each beside earlier ones that keep running. */
function total(spec: PodSpec, which: 'requests' | 'limits'): Amounts {
  const together: Amounts = new Map();
  for (const { resources } of spec.containers) addTo(together, amountsOf(resources?.[which]));
  const staying: Amounts = new Map();
  const start: Amounts = new Map();
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources?.[which]);
    if (restartPolicy === 'Always') {
      addTo(together, own);
      addTo(staying, own);
      raiseTo(start, staying);
    } else {
      addTo(own, staying);
      raiseTo(start, own);
    }
  }
  raiseTo(together, start);
  // Pod-level resources replace the sum of the containers.
  for (const [name, amount] of amountsOf(spec.resources?.[which])) together.set(name, amount);
  return together;
}
