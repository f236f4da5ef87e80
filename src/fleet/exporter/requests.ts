import { toNumber } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import { podRequests } from '#platform/kube/resources/pod-resources';

/** Cores and bytes that a pod requests from the scheduler. */
export interface RequestedAmounts {
  readonly cores: number;
  readonly bytes: number;
}

const known = new WeakMap<Pod, RequestedAmounts>();

/** Returns the requests of a pod, computed once for each version of it. */
export function requestsOf(pod: Pod): RequestedAmounts {
  let found = known.get(pod);
  if (found === undefined) {
    const requests = podRequests(pod);
    const [cpu, memory] = [requests.get('cpu'), requests.get('memory')];
    found = {
      cores: cpu === undefined ? 0 : toNumber(cpu),
      bytes: memory === undefined ? 0 : toNumber(memory),
    };
    known.set(pod, found);
  }
  return found;
}
