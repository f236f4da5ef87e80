import { type FieldError, invalid } from '#platform/base/field-error';
import { formatIp } from '#platform/base/ip';
import { same } from '../field-checks.ts';
import { ipProblems, parseLoosely } from '../ip-text.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { alignClusterIps, dropTypeDependents, keepAllocated } from './service-addresses.ts';
import { isExternal, isHeadless, needsClusterIp, type Service, type ServiceSpec } from './service-spec.ts';
import { validateService } from './validate-service.ts';

const STICKY_SECONDS = 10_800;

export const services: KindStrategy<Service> = {
  defaults(object) {
    const spec = (object.spec ??= {});
    spec.sessionAffinity ||= 'None';
    if (spec.sessionAffinity === 'ClientIP') {
      ((spec.sessionAffinityConfig ??= {}).clientIP ??= {}).timeoutSeconds ??= STICKY_SECONDS;
    } else if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
    spec.type ||= 'ClusterIP';
    for (const port of spec.ports ?? []) {
      port.protocol ||= 'TCP';
      if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
        port.targetPort = port.port ?? 0;
    }
    if (isExternal(spec)) spec.externalTrafficPolicy ||= 'Cluster';
    if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
    if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
  },
  firstStatus: () => ({ loadBalancer: {} }),
  prepareCreate: (object) => alignClusterIps(object.spec ?? {}),
  prepareUpdate(object, old) {
    const [spec, before] = [object.spec ?? {}, old.spec ?? {}];
    keepAllocated(spec, before);
    alignClusterIps(spec, before);
    dropTypeDependents(spec, before);
  },
  validate(object, old) {
    const { spec = {} } = object;
    const before = old?.spec;
    const causes = validateService(spec);
    return before === undefined ? causes : [...validateChange(spec, before), ...causes];
  },
  warnings: ({ spec = {} }) => serviceWarnings(spec),
};

function serviceWarnings(spec: ServiceSpec): string[] {
  const warnings: string[] = [];
  if (spec.type === 'ExternalName' && (spec.externalIPs ?? []).length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (isHeadless(spec) && spec.sessionAffinity === 'ClientIP') {
    warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  const { loadBalancerIP = '' } = spec;
  const ip = parseLoosely(loadBalancerIP);
  if (ip !== undefined && ipProblems(loadBalancerIP).length > 0) {
    warnings.push(`spec.loadBalancerIP: non-standard IP address "${loadBalancerIP}" is invalid: use "${formatIp(ip)}"`);
  }
  return warnings;
}

function validateChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const causes: FieldError[] = [];
  const [before] = old.clusterIPs ?? [];
  if (before !== undefined && before !== '' && old.type !== 'ExternalName' && spec.type !== 'ExternalName') {
    if (spec.clusterIPs?.[0] !== before && (needsClusterIp(old) || before === 'None')) {
      causes.push(invalid('spec.clusterIPs[0]', spec.clusterIPs ?? null, 'may not change once set'));
    }
  }
  const balanced = old.type === 'LoadBalancer' && spec.type === 'LoadBalancer';
  if (balanced && !same(spec.loadBalancerClass, old.loadBalancerClass)) {
    causes.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'));
  }
  return causes;
}
