import { textFromBase64 } from '#platform/base/base64';
import { goQuote } from '#platform/base/go-value';
import type { KubeObject } from '#platform/kube/kube-object';
import { type ObjectSource, readObject } from '../../object-source.ts';
import type { Destination } from '../../webhook-post.ts';

/** Address of a webhook, as in its configuration. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Base64 of PEM. Defaults to the certificate authorities of the system. */
  readonly caBundle?: string;
}

/**
 * Resolves a port of a service to an address such as 127.0.0.1:8443. Undefined leaves it to the endpoints in the
 * cluster.
 */
export type ResolveService = (namespace: string, name: string, port: number) => string | undefined;

/** The call cannot be attempted. The message is that of Kubernetes. */
export class UnresolvedServiceError extends Error {}

interface Service extends KubeObject {
  spec?: {
    type?: string;
    clusterIP?: string;
    externalName?: string;
    ports?: { name?: string; port: number; targetPort?: number | string }[];
  };
}

interface Endpoints extends KubeObject {
  subsets?: { addresses?: { ip: string }[]; ports?: { name?: string; port: number }[] }[];
}

/** Returns the URL of a webhook, whether it is reachable or not. */
export function urlOf({ url, service }: ClientConfig): string {
  if (url !== undefined) return url;
  const { namespace = '', name = '', path = '', port = 443 } = service ?? {};
  return `https://${name}.${namespace}.svc:${port}${path.startsWith('/') ? path : `/${path}`}`;
}

/**
 * Resolves the destination. Services are reached only by their endpoints, since there may be no proxy for their
 * addresses.
 */
export function destinationOf(config: ClientConfig, source: ObjectSource, resolve: ResolveService): Destination {
  const url = urlOf(config);
  const { origin, hostname } = new URL(url);
  const ca = config.caBundle ? textFromBase64(config.caBundle) : undefined;
  const { service } = config;
  if (service === undefined) return { url, origin, serverName: hostname, ca };
  const { namespace, name, port = 443 } = service;
  const address = resolve(namespace, name, port) ?? serviceAddress(source, namespace, name, port);
  return { url, origin: `https://${address}`, serverName: `${name}.${namespace}.svc`, ca };
}

function serviceAddress(source: ObjectSource, namespace: string, name: string, port: number): string {
  const service: Service | undefined = readObject(source, '', 'v1', 'services', namespace, name);
  if (service === undefined) throw new UnresolvedServiceError(`service ${goQuote(name)} not found`);
  const { type, externalName, clusterIP = '', ports = [] } = service.spec ?? {};
  if (type === 'ExternalName') return `${externalName}:${port}`;
  const found = ports.find((each) => each.port === port);
  if (found === undefined)
    throw new UnresolvedServiceError(`no service port ${port} found for service ${goQuote(name)}`);
  const endpoints: Endpoints | undefined = readObject(source, '', 'v1', 'endpoints', namespace, name);
  for (const { addresses = [], ports: open = [] } of endpoints?.subsets ?? []) {
    const target = open.find((each) => (each.name ?? '') === (found.name ?? ''));
    if (addresses[0] !== undefined && target !== undefined) return hostPort(addresses[0].ip, target.port);
  }
  if (clusterIP !== '' && clusterIP !== 'None' && endpoints === undefined) return hostPort(clusterIP, port);
  throw new UnresolvedServiceError(`no endpoints available for service ${goQuote(name)}`);
}

function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}
