import { tryParseIp } from '#platform/base/ip';
import type { Service } from '#platform/kube/kinds/core';
import type { EndpointPort, ServicePort } from '#platform/kube/kinds/network';
import type { Pod } from '#platform/kube/kinds/pod';

/** Label of Services without a cluster IP. */
export const HEADLESS = 'service.kubernetes.io/headless';
/** Annotation of the time at which the change happened that was last published. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** Reports whether a Service leaves its endpoints to controllers. */
export function isSelecting({ spec }: Service): boolean {
  return spec?.selector !== undefined && spec.type !== 'ExternalName';
}

export function hasNoClusterIp({ spec }: Service): boolean {
  return (spec?.clusterIP ?? '') === '' || spec?.clusterIP === 'None';
}

/** Reports whether a pod can receive traffic: it runs, or is about to, and has an address. */
export function hasEndpoint(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  return phase !== 'Failed' && phase !== 'Succeeded' && podIps(pod).length > 0;
}

function podIps({ status }: Pod): string[] {
  const { podIP, podIPs } = (status ?? {}) as { podIP?: string; podIPs?: readonly { readonly ip: string }[] };
  return (podIPs ?? (podIP === undefined || podIP === '' ? [] : [{ ip: podIP }])).map(({ ip }) => ip);
}

/** Returns the addresses of a pod that are of a family. */
export function addressesOf(pod: Pod, family: 'IPv4' | 'IPv6'): string[] {
  return podIps(pod).filter((ip) => tryParseIp(ip)?.family === (family === 'IPv6' ? 6 : 4));
}

/** Returns the families of addresses that a Service publishes, its primary one first. */
export function familiesOf({ spec }: Service): ('IPv4' | 'IPv6')[] {
  const families = (spec?.ipFamilies ?? []).filter((each) => each === 'IPv4' || each === 'IPv6');
  return families.length === 0 ? ['IPv4'] : families;
}

/** Returns the ports of a Service as a pod has them. A named port that the pod lacks is left out. */
export function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetOf(servicePort, pod);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = servicePort;
    return [{ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function targetOf({ port, targetPort = port, protocol = 'TCP' }: ServicePort, { spec }: Pod): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** Returns the name by which a pod of a headless Service is found, undefined if it has none there. */
export function hostnameOf({ spec, metadata }: Pod, service: Service): string | undefined {
  const { hostname, subdomain } = spec as { hostname?: string; subdomain?: string };
  const isInService = subdomain === service.metadata.name && service.metadata.namespace === metadata.namespace;
  return hostname !== undefined && hostname !== '' && isInService ? hostname : undefined;
}

export function podReference({ metadata }: Pod) {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { kind: 'Pod', namespace, name, uid };
}
