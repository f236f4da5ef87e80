import { milliValue, parseQuantity } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import { hasPodLevelRequests, podRequests } from '#platform/kube/resources/pod-resources';

/** Returns what each pod, or one container of each, requests of a resource, in thousandths. */
export function containerRequests(pods: readonly Pod[], resource: string, container?: string): Map<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, resource, container)]));
}

function requestOf(pod: Pod, resource: string, container: string | undefined): number {
  const { name = '' } = pod.metadata;
  if (container === undefined && hasPodLevelRequests(pod)) {
    const found = podRequests(pod).get(resource);
    if (found === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return milliValue(found);
  }
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const all = [...pod.spec.containers, ...sidecars];
  const counted = container === undefined ? all : all.filter((each) => each.name === container);
  if (counted.length === 0) throw new Error(`container ${container} not found in Pod ${name}`);
  return counted.reduce((sum, { name: each, resources }) => {
    const request = resources?.requests?.[resource];
    if (request === undefined) throw new Error(`missing request for ${resource} in container ${each} of Pod ${name}`);
    return sum + milliValue(parseQuantity(request));
  }, 0);
}
