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

/** Whether clients resolve the service to its pods, because it has no address of its own. */
export function isHeadless({ clusterIP, clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIP === 'None' || clusterIPs[0] === 'None';
}

/** Whether the service has an address of the cluster, or shall get one. */
export function needsClusterIp(spec: ServiceSpec): boolean {
  return spec.type !== 'ExternalName' && !isHeadless(spec);
}

/** Whether every node listens for the service. */
export function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

/** Whether a load balancer asks a port of its own which nodes have pods of the service. */
export function needsHealthCheckPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0);
}
