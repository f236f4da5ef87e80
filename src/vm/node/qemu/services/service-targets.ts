import { CREATED_BY_LABEL } from '#api/launcher';
import type { Service } from '#platform/kube/kinds/core';
import type { EndpointSlice, ServicePort } from '#platform/kube/kinds/network';
import type { Pod } from '#platform/kube/kinds/pod';

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** Port of a guest behind a Service. */
export interface ServiceTarget {
  readonly node: string;
  /** ID of the machine. */
  readonly machine: string;
  readonly port: number;
}

/** Port of this host that leads to a port of a Service. */
export interface NodePort {
  readonly nodePort: number;
  readonly namespace: string;
  readonly service: string;
  /** Name of the port, by which EndpointSlices refer to it. */
  readonly name: string;
}

/** Returns the TCP ports of this host that a Service requests. */
export function nodePortsOf({ metadata, spec }: Service): NodePort[] {
  if (spec?.type !== 'NodePort' && spec?.type !== 'LoadBalancer') return [];
  const ports = (spec.ports ?? []) as readonly (ServicePort & { readonly nodePort?: number })[];
  return ports.flatMap(({ nodePort, name = '', protocol = 'TCP' }) =>
    nodePort === undefined || nodePort === 0 || protocol !== 'TCP'
      ? []
      : [{ nodePort, name, namespace: metadata.namespace ?? '', service: metadata.name ?? '' }],
  );
}

/**
 * Returns the guests behind a port: the ready endpoints whose pods, in the namespace of the Service, hold a machine. A
 * pod is found by its name, so that an address that somebody writes into an EndpointSlice leads nowhere else.
 */
export function serviceTargets(
  { namespace, service, name }: NodePort,
  slices: Iterable<EndpointSlice>,
  podOf: (name: string) => Pod | undefined,
): ServiceTarget[] {
  return [...slices]
    .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME_LABEL] === service)
    .flatMap(({ endpoints, ports }) => {
      const port = (ports ?? []).find((each) => (each.name ?? '') === name)?.port;
      if (port === undefined) return [];
      return (endpoints ?? []).flatMap(({ conditions, targetRef }) => {
        const pod = targetRef?.kind === 'Pod' ? podOf(targetRef.name ?? '') : undefined;
        const machine = pod?.metadata.labels?.[CREATED_BY_LABEL];
        const { nodeName: node } = pod?.spec ?? {};
        const isUsable = conditions?.ready !== false && pod?.metadata.uid === targetRef?.uid;
        return !isUsable || machine === undefined || node === undefined ? [] : [{ node, machine, port }];
      });
    });
}
