export interface ServicePort {
  name?: string;
  port?: number;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}

export interface ServiceSpec {
  type?: string;
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  externalName?: string;
  externalIPs?: string[];
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  publishNotReadyAddresses?: boolean;
  trafficDistribution?: string;
}

export interface Service {
  spec?: ServiceSpec;
}

/** Reports whether the service has no address of its own, so that clients resolve it to its pods. */
export function isHeadless({ clusterIP, clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIP === 'None' || clusterIPs[0] === 'None';
}

/** Reports whether the service has or needs a cluster IP. */
export function needsClusterIp(spec: ServiceSpec): boolean {
  return spec.type !== 'ExternalName' && !isHeadless(spec);
}

/** Reports whether the service needs node ports. */
export function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

/** Reports whether a load balancer checks by a separate port which nodes have pods of the service. */
export function needsHealthCheckPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0);
}
