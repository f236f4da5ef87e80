import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { tryParseIp } from '#platform/base/ip';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { repeats } from '../by-name.ts';
import { validateReachable } from '../core/endpoints.ts';
import {
  causesFor,
  validateIpAddress,
  validateLabelName,
  validateLabels,
  validateOneOf,
  validateOneOfIfSet,
  validatePortNumber,
  validatePortReference,
} from '../field-checks.ts';
import { goStruct } from '../go-struct.ts';
import { cidrProblems } from '../ip-text.ts';
import { isExternal, isHeadless, needsHealthCheckPort, type ServicePort, type ServiceSpec } from './service-spec.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const POLICIES = ['Cluster', 'Local'];
const DAY = 86_400;

export function validateService(spec: ServiceSpec): FieldError[] {
  const { type = '', ports = [] } = spec;
  const causes: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') causes.push(required('spec.ports'));
  if (type === 'ExternalName') {
    const name = (spec.externalName ?? '').replace(/\.$/, '');
    if (name === '') causes.push(required('spec.externalName'));
    else append(causes, causesFor('spec.externalName', name, dns1123SubdomainProblems(name)));
  }
  if ((type === 'NodePort' || type === 'LoadBalancer') && isHeadless(spec)) {
    causes.push(invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  append(causes, validatePorts(spec), validateLabels('spec.selector', spec.selector));
  append(
    causes,
    validateOneOf('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']),
    validateStickiness(spec),
  );
  append(causes, validateAddresses(spec));
  for (const [i, ip] of (spec.externalIPs ?? []).entries()) {
    const at = index('spec.externalIPs', i);
    const problems = validateIpAddress(at, ip);
    append(causes, problems.length > 0 ? problems : validateReachable(at, ip));
  }
  append(
    causes,
    validateOneOf('spec.type', type, TYPES),
    validateTwins(ports),
    validateBalancer(spec),
    validateTraffic(spec),
  );
  return causes;
}

function validatePorts({ ports = [], type }: ServiceSpec): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const at = index('spec.ports', i);
    const { name = '', protocol = '', targetPort = 0, appProtocol, nodePort = 0 } = port;
    const causes: FieldError[] = [];
    if (name === '') {
      if (ports.length > 1) causes.push(required(`${at}.name`));
    } else {
      append(causes, causesFor(`${at}.name`, name, dns1123LabelProblems(name)));
      if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    append(causes, validatePortNumber(`${at}.port`, port.port));
    if (protocol === '') causes.push(required(`${at}.protocol`));
    else append(causes, validateOneOf(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    append(causes, validatePortReference(`${at}.targetPort`, targetPort));
    if (appProtocol !== undefined) append(causes, validateLabelName(`${at}.appProtocol`, appProtocol));
    if (nodePort !== 0 && (type === 'ClusterIP' || type === 'ExternalName')) {
      causes.push(forbidden(`${at}.nodePort`, `may not be used when \`type\` is '${type}'`));
    }
    return causes;
  });
}

/** Rejects ports with the same number and protocol. */
function validateTwins(ports: readonly ServicePort[]): FieldError[] {
  const seen = new Map<string | undefined, Set<number | undefined>>();
  const causes: FieldError[] = [];
  for (const [i, { protocol, port }] of ports.entries()) {
    const known = seen.get(protocol) ?? new Set();
    seen.set(protocol, known);
    if (known.has(port)) {
      const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      causes.push(duplicate(index('spec.ports', i), goStruct(shown)));
    }
    known.add(port);
  }
  return causes;
}

function validateStickiness({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const at = 'spec.sessionAffinityConfig';
  if (sessionAffinity !== 'ClientIP') return [];
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (seconds === undefined) return [required(at, 'when session affinity type is ClientIP')];
  return seconds > 0 && seconds <= DAY
    ? []
    : [invalid(`${at}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${DAY}`)];
}

function validateAddresses(spec: ServiceSpec): FieldError[] {
  const { type, clusterIP = '', clusterIPs = [], ipFamilies = [] } = spec;
  const causes: FieldError[] = [];
  if (type === 'ExternalName') {
    if (clusterIP !== '' || clusterIPs.length > 0) {
      causes.push(forbidden('spec.clusterIPs', 'may not be set for ExternalName services'));
    }
    return causes;
  }
  if (clusterIP === '' && clusterIPs.length > 0) {
    causes.push(invalid('spec.clusterIPs', clusterIPs, 'must be empty when `clusterIP` is not specified'));
  } else if (clusterIPs.length > 0 && clusterIPs[0] !== clusterIP) {
    causes.push(invalid('spec.clusterIPs', clusterIPs, 'first value must match `clusterIP`'));
  }
  const families = new Set<number>();
  for (const [i, ip] of clusterIPs.entries()) {
    if (ip === 'None' && clusterIPs.length === 1) continue;
    const parsed = tryParseIp(ip);
    if (parsed === undefined) append(causes, validateIpAddress(index('spec.clusterIPs', i), ip));
    else if (families.has(parsed.family)) {
      causes.push(invalid('spec.clusterIPs', clusterIPs, 'may specify no more than one IP for each IP family'));
    } else families.add(parsed.family);
  }
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  append(causes, validateOneOfIfSet('spec.ipFamilyPolicy', spec.ipFamilyPolicy, policies));
  const again = repeats(ipFamilies);
  for (const [i, family] of ipFamilies.entries()) {
    const at = index('spec.ipFamilies', i);
    append(causes, validateOneOf(at, family, ['IPv4', 'IPv6']));
    if (again[i] === true) causes.push(duplicate(at, family));
  }
  return causes;
}

function validateBalancer(spec: ServiceSpec): FieldError[] {
  const causes: FieldError[] = [];
  const only = "may only be used when `type` is 'LoadBalancer'";
  const balanced = spec.type === 'LoadBalancer';
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0) {
    const at = 'spec.LoadBalancerSourceRanges';
    if (!balanced) causes.push(forbidden(at, only));
    for (const [i, text] of ranges.entries()) {
      append(causes, causesFor(index(at, i), text, cidrProblems(text.trim())));
    }
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !balanced) {
    causes.push(forbidden('spec.allocateLoadBalancerNodePorts', only));
  }
  if (balanced && spec.allocateLoadBalancerNodePorts === undefined) {
    causes.push(required('spec.allocateLoadBalancerNodePorts'));
  }
  if (spec.loadBalancerClass !== undefined) {
    if (!balanced) causes.push(forbidden('spec.loadBalancerClass', only));
    else append(causes, validateLabelName('spec.loadBalancerClass', spec.loadBalancerClass));
  }
  return causes;
}

function validateTraffic(spec: ServiceSpec): FieldError[] {
  const { externalTrafficPolicy: policy, healthCheckNodePort: port = 0 } = spec;
  const causes: FieldError[] = [];
  if (!isExternal(spec)) {
    if (policy !== undefined) {
      causes.push(invalid('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services'));
    }
  } else append(causes, validateOneOf('spec.externalTrafficPolicy', policy, POLICIES));
  if (port !== 0 && !needsHealthCheckPort(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    causes.push(invalid('spec.healthCheckNodePort', port, detail));
  }
  append(causes, validateOneOfIfSet('spec.internalTrafficPolicy', spec.internalTrafficPolicy, POLICIES));
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  return [...causes, ...validateOneOfIfSet('spec.trafficDistribution', spec.trafficDistribution, distributions)];
}
