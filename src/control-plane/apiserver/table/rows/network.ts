import type { LabelSelectorSpec } from '#platform/kube/selectors/label-selector';
import { ageOf, type Cell, firstFew, formatLabels, formatSelector, type Listed, nameOf } from '../cell.ts';

interface LoadBalancer {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
}

interface Service extends Listed {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly externalName?: string;
    readonly ports?: readonly { readonly port?: number; readonly nodePort?: number; readonly protocol?: string }[];
    readonly selector?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly loadBalancer?: LoadBalancer };
}

export function serviceRow(object: Service, now: number): Cell[] {
  const { type = '', clusterIP, clusterIPs, ports = [], selector } = object.spec ?? {};
  const portTexts = ports.map(({ port = 0, nodePort = 0, protocol = '' }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return [
    nameOf(object),
    type,
    clusterIPs?.[0] ?? (clusterIP || '<none>'),
    externalAddress(object),
    portTexts.join(',') || '<none>',
    ageOf(object, now),
    formatLabels(selector),
  ];
}

function externalAddress({ spec = {}, status }: Service): string {
  const { externalIPs = [] } = spec;
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.length > 0 ? externalIPs.join(',') : '<none>';
    case 'LoadBalancer':
      return [...balancerAddresses(status?.loadBalancer), ...externalIPs].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function balancerAddresses(balancer: LoadBalancer | undefined): string[] {
  const addresses = (balancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(addresses)].filter((address) => address !== '').sort();
}

interface Endpoints extends Listed {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip?: string }[];
    readonly ports?: readonly { readonly port?: number }[];
  }[];
}

export function endpointsRow(object: Endpoints, now: number): Cell[] {
  const { subsets = [] } = object;
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip = '' }) => ip)
      : ports.flatMap(({ port = 0 }) =>
          addresses.map(({ ip = '' }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  return [nameOf(object), subsets.length === 0 ? '<none>' : firstFew(all, 3, ''), ageOf(object, now)];
}

interface EndpointSlice extends Listed {
  readonly addressType?: string;
  readonly ports?: readonly { readonly port?: number; readonly name?: string }[];
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[];
}

export function endpointSliceRow(object: EndpointSlice, now: number): Cell[] {
  const ports = (object.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)));
  const addresses = (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  const cells = [firstFew(ports, 3, '<unset>'), firstFew(addresses, 3, '<unset>')];
  return [nameOf(object), object.addressType ?? '', ...cells, ageOf(object, now)];
}

interface Ingress extends Listed {
  readonly spec?: {
    readonly ingressClassName?: string;
    readonly rules?: readonly { readonly host?: string }[];
    readonly tls?: readonly unknown[];
  };
  readonly status?: { readonly loadBalancer?: LoadBalancer };
}

export function ingressRow(object: Ingress, now: number): Cell[] {
  const { ingressClassName = '<none>', rules = [], tls = [] } = object.spec ?? {};
  const address = balancerAddresses(object.status?.loadBalancer).join(',');
  const ports = tls.length === 0 ? '80' : '80, 443';
  return [nameOf(object), ingressClassName, ingressHosts(rules), address, ports, ageOf(object, now)];
}

/** Formats hosts. Unlike in other lists, the number of the others counts rules, including those for any host. */
function ingressHosts(rules: readonly { readonly host?: string }[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === 3) more = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

interface IngressClass extends Listed {
  readonly spec?: {
    readonly controller?: string;
    readonly parameters?: { readonly apiGroup?: string; readonly kind?: string; readonly name?: string };
  };
}

export function ingressClassRow(object: IngressClass, now: number): Cell[] {
  const { controller = '', parameters } = object.spec ?? {};
  const isDefault = object.metadata?.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
  const group = parameters?.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
  const reference = parameters && `${parameters.kind ?? ''}${group}/${parameters.name ?? ''}`;
  return [`${nameOf(object)}${isDefault ? ' (default)' : ''}`, controller, reference ?? '<none>', ageOf(object, now)];
}

export function networkPolicyRow(
  object: Listed & { readonly spec?: { readonly podSelector?: LabelSelectorSpec } },
  now: number,
): Cell[] {
  return [nameOf(object), formatSelector(object.spec?.podSelector), ageOf(object, now)];
}

interface IpAddress extends Listed {
  readonly spec?: {
    readonly parentRef?: {
      readonly group?: string;
      readonly resource?: string;
      readonly namespace?: string;
      readonly name?: string;
    };
  };
}

/** The API server also returns an age, although there is no column for it. */
export function ipAddressRow(object: IpAddress, now: number): Cell[] {
  const parent = object.spec?.parentRef;
  return [nameOf(object), parent === undefined ? '<none>' : parentText(parent), ageOf(object, now)];
}

function parentText({
  group,
  resource = '',
  namespace,
  name = '',
}: NonNullable<NonNullable<IpAddress['spec']>['parentRef']>) {
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase();
  return [kind, ...(namespace ? [namespace] : []), name].join('/');
}

export function serviceCidrRow(
  object: Listed & { readonly spec?: { readonly cidrs?: readonly string[] } },
  now: number,
): Cell[] {
  return [nameOf(object), object.spec?.cidrs?.join(',') ?? '', ageOf(object, now)];
}
