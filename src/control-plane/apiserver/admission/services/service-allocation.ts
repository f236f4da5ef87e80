import { type FieldError, index, invalid as invalidField } from '#platform/base/field-error';
import { tryParseIp } from '#platform/base/ip';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../../admission-plugin.ts';
import { ApiError, internal, invalid } from '../../api-error.ts';
import { alignClusterIps, dropTypeDependents, keepAllocated } from '../../kinds/service/service-addresses.ts';
import {
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePorts,
  type ServicePort,
  type ServiceSpec,
} from '../../kinds/service/service-spec.ts';
import { type ObjectSource, readObject } from '../../object-source.ts';
import type { RequestContext } from '../../request-context.ts';
import type { Changed } from '../stored-objects.ts';
import { settleFamilies, validateFamily } from './ip-families.ts';
import { type ServiceNetwork, specOf } from './service-network.ts';

/**
 * Allocates addresses and ports of services. They are reserved from the moment they are chosen, and released if the
 * service could not be stored.
 */
export function serviceAllocation(network: ServiceNetwork, source: ObjectSource): AdmissionPlugin {
  const open = new WeakMap<RequestContext, { readonly spec: ServiceSpec; readonly owner: string }>();
  return {
    name: 'ServiceAllocation',
    mutate(write) {
      if (!isService(write) || write.object === undefined) return undefined;
      const spec = (write.object['spec'] ??= {}) as ServiceSpec;
      const old = write.old === undefined ? undefined : specOf(write.old);
      if (old !== undefined) keepAllocated(spec, old);
      alignClusterIps(spec, old);
      if (old !== undefined) dropTypeDependents(spec, old);
      const owner = ownerOf(write.object);
      allocate(write, spec, old, network, owner);
      if (write.call.dryRun) return undefined;
      network.take(spec, owner);
      open.set(write.call, { spec, owner });
      return undefined;
    },
    settle({ call, namespace, name }, stored) {
      const taken = open.get(call);
      if (taken === undefined) return;
      open.delete(call);
      if (stored) return;
      network.release(taken.spec, taken.owner);
      const present = readObject(source, '', 'v1', 'services', namespace, name);
      if (present !== undefined) network.take(specOf(present), ownerOf(present));
    },
  };
}

/** Keeps the network in sync with the stored services. */
export function followServices(network: ServiceNetwork): Changed {
  return (now, before) => {
    if (before !== undefined) network.release(specOf(before), ownerOf(before));
    if (now !== undefined) network.take(specOf(now), ownerOf(now));
  };
}

function isService({ resource, subresource, operation }: AdmissionAttributes): boolean {
  return (
    resource.plural === 'services' &&
    resource.group === '' &&
    subresource === '' &&
    (operation === 'CREATE' || operation === 'UPDATE')
  );
}

function ownerOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

function allocate(
  write: AdmissionAttributes,
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  network: ServiceNetwork,
  owner: string,
): void {
  const refuse = (causes: readonly FieldError[]) => {
    if (causes.length > 0) throw invalid(write.resource, nameOf(write), causes);
  };
  if (spec.type !== 'ExternalName') {
    refuse(validateFamily(spec));
    settleFamilies(spec);
  }
  const needsAddress = needsClusterIp(spec) && isWellFormed(spec) && (old === undefined || !needsClusterIp(old));
  if (needsAddress) refuse(giveAddress(spec, owner, network));
  if (isHeadless(spec) && spec.clusterIPs === undefined) spec.clusterIPs = ['None'];
  if (needsNodePorts(spec)) refuse(givePorts(spec, owner, network));
  else refuse(keptPorts(spec, owner, network));
  if (needsHealthCheckPort(spec)) giveHealthPort(spec, owner, network);
}

/** Reports whether the addresses are well-formed. The validation of the kind rejects those that are not. */
function isWellFormed({ clusterIP = '', clusterIPs = [] }: ServiceSpec): boolean {
  return clusterIP === '' ? clusterIPs.length === 0 : tryParseIp(clusterIP) !== undefined;
}

function nameOf({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || '';
}

function giveAddress(spec: ServiceSpec, owner: string, network: ServiceNetwork): FieldError[] {
  const requested = spec.clusterIP ?? '';
  if (requested !== '') {
    const problem = network.addressProblem(requested, owner);
    const detail = `failed to allocate IP ${requested}: ${problem}`;
    return problem === undefined ? [] : [invalidField('spec.clusterIPs', spec.clusterIPs ?? [requested], detail)];
  }
  const address = network.freeAddress();
  if (address === undefined) throw internal(new Error('failed to allocate a serviceIP: range is full'));
  spec.clusterIP = address;
  spec.clusterIPs = [address];
  return [];
}

/** Allocates node ports. Ports with different protocols share a number if they serve the same port. */
function givePorts(spec: ServiceSpec, owner: string, network: ServiceNetwork): FieldError[] {
  const causes = keptPorts(spec, owner, network);
  if (causes.length > 0) return causes;
  const used = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
  for (const port of spec.ports ?? []) {
    if ((port.nodePort ?? 0) !== 0) continue;
    const shared = sharedPort(spec.ports ?? [], port);
    port.nodePort = shared ?? freePort(network, used);
    used.add(port.nodePort);
  }
  return [];
}

function sharedPort(ports: readonly ServicePort[], desired: ServicePort): number | undefined {
  const other = ports.find(
    ({ port, protocol, nodePort }) => port === desired.port && protocol !== desired.protocol && (nodePort ?? 0) !== 0,
  );
  const taken = ports.some(({ protocol, nodePort }) => nodePort === other?.nodePort && protocol === desired.protocol);
  return taken ? undefined : other?.nodePort;
}

function freePort(network: ServiceNetwork, used: ReadonlySet<number | undefined>): number {
  for (let attempt = 0; attempt < 16; attempt++) {
    const port = network.freePort();
    if (port === undefined) break;
    if (!used.has(port)) return port;
  }
  throw internal(new Error('failed to allocate a nodePort: range is full'));
}

/** Requires the node ports that a service requests to be free. */
function keptPorts(spec: ServiceSpec, owner: string, network: ServiceNetwork): FieldError[] {
  return (spec.ports ?? []).flatMap(({ nodePort = 0 }, i) => {
    const problem = nodePort === 0 ? undefined : network.portProblem(nodePort, owner);
    return problem === undefined ? [] : [invalidField(`${index('spec.ports', i)}.nodePort`, nodePort, problem)];
  });
}

function giveHealthPort(spec: ServiceSpec, owner: string, network: ServiceNetwork): void {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) {
    const used = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort));
    spec.healthCheckNodePort = freePort(network, used);
    return;
  }
  const problem = network.portProblem(asked, owner);
  if (problem === undefined) return;
  const why = `failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`;
  throw new ApiError(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}
