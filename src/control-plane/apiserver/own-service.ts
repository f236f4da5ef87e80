import { firstHost, parseCidr } from '#platform/base/cidr';
import { formatIp } from '#platform/base/ip';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Backend, timestamp } from './backend.ts';
import { ensureObject } from './ensure-object.ts';
import type { RequestContext } from './request-context.ts';
import { guaranteedUpdate } from './verbs/guaranteed-update.ts';

/** Describes how the cluster reaches its API server. */
export interface OwnService {
  /** IP range of services. */
  readonly serviceRange: string;
  readonly port: number;
  /** Address at which other hosts reach the server. If absent, the service has no endpoints. */
  readonly advertised?: string;
}

const NAME = 'kubernetes';
const NAMESPACE = 'default';
const HTTPS = { name: 'https', protocol: 'TCP' };

/** Maintains the service `kubernetes`, by which clients in the cluster reach the API server, and its endpoints. */
export async function publishOwnService(backend: Backend, call: RequestContext, own: OwnService): Promise<void> {
  const { serviceRange, port, advertised } = own;
  await ensureObject(backend, call, 'networking.k8s.io', 'servicecidrs', serviceCidr(serviceRange));
  await setStatus(backend, call, readyRange(timestamp(backend.clock)));
  await ensureObject(backend, call, '', 'services', service(serviceRange, port));
  if (advertised === undefined) return;
  await ensureObject(backend, call, '', 'endpoints', endpoints(advertised, port));
  await ensureObject(backend, call, 'discovery.k8s.io', 'endpointslices', endpointSlice(advertised, port));
}

function serviceCidr(range: string): KubeObject {
  return { metadata: { name: NAME }, spec: { cidrs: [range] } } as unknown as KubeObject;
}

function readyRange(lastTransitionTime: string) {
  const message = 'Kubernetes default Service CIDR is ready';
  return { conditions: [{ type: 'Ready', status: 'True', reason: '', message, lastTransitionTime }] };
}

function service(range: string, port: number): KubeObject {
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const clusterIP = formatIp(firstHost(parseCidr(range)));
  const spec = { type: 'ClusterIP', clusterIP, ports: [{ ...HTTPS, port: 443, targetPort: port }] };
  return { metadata: { namespace: NAMESPACE, name: NAME, labels }, spec } as unknown as KubeObject;
}

function endpoints(ip: string, port: number): KubeObject {
  const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  const subsets = [{ addresses: [{ ip }], ports: [{ ...HTTPS, port }] }];
  return { metadata: { namespace: NAMESPACE, name: NAME, labels }, subsets } as unknown as KubeObject;
}

function endpointSlice(ip: string, port: number): KubeObject {
  const labels = { 'kubernetes.io/service-name': NAME };
  return {
    metadata: { namespace: NAMESPACE, name: NAME, labels },
    addressType: ip.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ ...HTTPS, port }],
  } as unknown as KubeObject;
}

async function setStatus(
  backend: Backend,
  call: RequestContext,
  status: { conditions: readonly object[] },
): Promise<void> {
  const resource = backend.registry.find('networking.k8s.io', 'v1', 'servicecidrs');
  if (resource === undefined) return;
  const target = { resource, namespace: '', name: NAME, subresource: 'status' };
  await guaranteedUpdate(backend, target, (current) => withStatus(current, status), call);
}

/** Sets the status, unless it already has conditions from an earlier start. */
function withStatus(current: KubeObject, status: { conditions: readonly object[] }): KubeObject {
  const { conditions = [] } = (current['status'] ?? {}) as { conditions?: readonly object[] };
  return { ...structuredClone(current), ...(conditions.length > 0 ? {} : { status }) };
}
