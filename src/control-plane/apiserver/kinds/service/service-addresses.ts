import type { ServiceSpec } from './service-spec.ts';
import { isExternal, isHeadless, needsClusterIp, needsHealthCheckPort, needsNodePorts } from './service-spec.ts';

/*
 * Pure part of service address allocation: the fields that an allocator must set, and those that a service keeps. The
 * allocation itself is stateful and implemented elsewhere.
 */

/** Aligns `clusterIP` with the first of `clusterIPs`, whichever of them the writer set. */
export function alignClusterIps(spec: ServiceSpec, old?: ServiceSpec): void {
  const [first] = spec.clusterIPs ?? [];
  if ((spec.clusterIP ?? '') !== '' && first === undefined) spec.clusterIPs = [spec.clusterIP ?? ''];
  if (old === undefined) return;
  const changed = (spec.clusterIP ?? '') !== (old.clusterIP ?? '');
  const listUnchanged = JSON.stringify(spec.clusterIPs ?? []) === JSON.stringify(old.clusterIPs ?? []);
  if (!changed || !listUnchanged) return;
  if ((spec.clusterIP ?? '') === '') delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP ?? '', ...(spec.clusterIPs ?? []).slice(1)];
}

/** Sets the default families of a service. `primary` is that of the cluster. */
export function defaultFamilies(spec: ServiceSpec, primary: 'IPv4' | 'IPv6' = 'IPv4'): void {
  if (spec.type === 'ExternalName') return;
  spec.ipFamilyPolicy ??= 'SingleStack';
  if ((spec.ipFamilies ?? []).length > 0) return;
  const given = (spec.clusterIPs ?? []).filter((ip) => ip !== 'None');
  spec.ipFamilies = given.length === 0 ? [primary] : given.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'));
}

/** Restores allocated values that a writer left out. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if ((spec.clusterIP ?? '') === '' && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && spec.clusterIP === old.clusterIP && old.clusterIPs !== undefined) {
      spec.clusterIPs = [...old.clusterIPs];
    }
  } else if (isHeadless(old) && spec.clusterIP === old.clusterIP && old.clusterIPs !== undefined) {
    spec.clusterIPs ??= [...old.clusterIPs];
  }
  if (spec.type !== 'ExternalName' && old.type !== 'ExternalName') {
    if (spec.ipFamilies === undefined && old.ipFamilies !== undefined) spec.ipFamilies = [...old.ipFamilies];
    if (spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy = old.ipFamilyPolicy;
  }
  if (needsNodePorts(old) && needsNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && old.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const known = new Map((old.ports ?? []).map((port) => [`${port.protocol}/${port.port}`, port.nodePort]));
  const taken = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
  for (const port of spec.ports ?? []) {
    const before = known.get(`${port.protocol}/${port.port}`);
    if ((port.nodePort ?? 0) === 0 && before !== undefined && !taken.has(before)) {
      port.nodePort = before;
      taken.add(before);
    }
  }
}

/** Drops allocated values of a type that the service no longer has. */
export function dropTypeDependents(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && !needsClusterIp(spec) && !isHeadless(spec)) {
    if (spec.clusterIP === old.clusterIP) delete spec.clusterIP;
    if (JSON.stringify(spec.clusterIPs) === JSON.stringify(old.clusterIPs)) delete spec.clusterIPs;
    delete spec.ipFamilies;
    delete spec.ipFamilyPolicy;
    if (spec.internalTrafficPolicy === old.internalTrafficPolicy) delete spec.internalTrafficPolicy;
  }
  if (needsNodePorts(old) && !needsNodePorts(spec)) {
    const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort));
    for (const port of spec.ports ?? []) if (before.has(port.nodePort)) delete port.nodePort;
  }
  if (
    needsHealthCheckPort(old) &&
    !needsHealthCheckPort(spec) &&
    spec.healthCheckNodePort === old.healthCheckNodePort
  ) {
    delete spec.healthCheckNodePort;
  }
  const inside = isExternal(old) && !isExternal(spec);
  if (inside && spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts)
      delete spec.allocateLoadBalancerNodePorts;
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
  }
}
