import { ownValue } from '#platform/base/own-value';
import { add, formatQuantity, type Quantity, tryParseQuantity } from '#platform/base/quantity';
import { defaultContainer } from './container-defaults.ts';
import type { Container, PodSpec, PodTemplate, Resources } from './pod-spec.ts';
import { defaultVolume } from './volume-defaults.ts';

/** Sets the defaults of a pod beyond those of its template. */
export function defaultPod(spec: PodSpec): void {
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    requestsFromLimits((container.resources ??= {}));
    if (spec.hostNetwork === true) useHostPorts(container);
  }
  if (spec.resources?.limits !== undefined) requestsOfPod(spec, spec.resources);
}

export function defaultPodTemplate(template: PodTemplate): void {
  template.metadata ??= {};
  defaultPodSpec((template.spec ??= {}));
}

function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ||= 'Always';
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.schedulerName ||= 'default-scheduler';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  // The deprecated field follows the newer one.
  const account = spec.serviceAccountName || spec.serviceAccount || '';
  if (account !== '') {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  } else {
    delete spec.serviceAccountName;
    delete spec.serviceAccount;
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  for (const container of containers) {
    defaultContainer(container);
  }
}

/** Sets the host ports of a pod on the host network to the container ports. */
function useHostPorts({ ports = [] }: Container): void {
  for (const port of ports) {
    port.hostPort ||= port.containerPort ?? 0;
    if (port.hostPort === 0) delete port.hostPort;
  }
}

/** Sets missing requests to the limits. */
function requestsFromLimits(resources: Resources): void {
  const { limits } = resources;
  if (limits === undefined) return;
  resources.requests = { ...limits, ...resources.requests };
}

/** Sets requests at pod level to the sum of the containers' requests, or else to the limit. */
function requestsOfPod(spec: PodSpec, resources: Resources): void {
  const requested = Object.entries(resources.limits ?? {}).map(([name, limit]) => {
    return [name, sumOfRequests(spec.containers ?? [], name) ?? limit] as const;
  });
  resources.requests = { ...Object.fromEntries(requested), ...resources.requests };
}

function sumOfRequests(containers: readonly Container[], name: string): string | undefined {
  let sum: Quantity | undefined;
  for (const { resources } of containers) {
    const requested = tryParseQuantity(ownValue(resources?.requests ?? {}, name) ?? '');
    if (requested !== undefined) sum = sum === undefined ? requested : add(sum, requested);
  }
  return sum === undefined ? undefined : formatQuantity(sum);
}
