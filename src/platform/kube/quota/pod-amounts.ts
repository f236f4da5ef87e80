import { add } from '#platform/base/quantity';
import type { PodSpec } from '../kinds/pod.ts';
import { type Amounts, addTo, amountsOf, raiseTo } from './amounts.ts';

/** What a pod asks for: its containers together, or its start where that takes more, and what its runtime costs. */
export function podRequests(spec: PodSpec): Amounts {
  const amounts = total(spec, 'requests');
  addTo(amounts, amountsOf(spec.overhead));
  return amounts;
}

/** What a pod may take at most; what its runtime costs counts only where there is a limit. */
export function podLimits(spec: PodSpec): Amounts {
  const amounts = total(spec, 'limits');
  for (const [name, amount] of amountsOf(spec.overhead)) {
    const limit = amounts.get(name);
    if (limit !== undefined) amounts.set(name, add(limit, amount));
  }
  return amounts;
}

/** Init containers run one after another, each beside those before it that keep running. */
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
  // What a pod says for all its containers counts instead of their sum.
  for (const [name, amount] of amountsOf(spec.resources?.[which])) together.set(name, amount);
  return together;
}
