import { append } from '#platform/base/append';
import { duplicate, type FieldError, index, invalid, required } from '#platform/base/field-error';
import { tryParseIp } from '#platform/base/ip';
import { dns1123LabelProblems, dns1123SubdomainProblems, labelValueProblems } from '#platform/base/names';
import { validateReachable } from '../core/endpoints.ts';
import {
  causesFor,
  same,
  validateIpAddress,
  validateLabelName,
  validateOneOf,
  validateOneOfIfSet,
  validateUnchanged,
} from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';

interface Endpoint {
  addresses?: string[] | null;
  hostname?: string;
  nodeName?: string;
  zone?: string;
  hints?: { forZones?: { name?: string }[] };
}

interface Port {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
}

interface EndpointSlice {
  addressType?: string;
  endpoints?: Endpoint[] | null;
  ports?: Port[] | null;
}

export const endpointSlices: KindStrategy<EndpointSlice> = {
  defaults(object) {
    for (const port of object.ports ?? []) fill(port, { name: '', protocol: 'TCP' });
  },
  prepareUpdate({ metadata }, old) {
    // The labels name the service of the endpoints.
    const changed = !same(metadata.labels, old.metadata.labels);
    if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate(object, old) {
    const { addressType = '', endpoints, ports } = object;
    const causes =
      addressType === ''
        ? [required('addressType')]
        : validateOneOf('addressType', addressType, ['FQDN', 'IPv4', 'IPv6']);
    for (const [i, endpoint] of (endpoints ?? []).entries()) {
      append(causes, validateEndpoint(index('endpoints', i), endpoint, addressType));
    }
    append(causes, validatePorts(ports ?? []));
    const before = old;
    return before === undefined
      ? causes
      : [...causes, ...validateUnchanged('addressType', addressType, before.addressType)];
  },
};

function validateEndpoint(field: string, endpoint: Endpoint, addressType: string): FieldError[] {
  const { addresses, hostname, nodeName, hints } = endpoint;
  const at = `${field}.addresses`;
  const causes = (addresses ?? []).length === 0 ? [required(at, 'must contain at least 1 address')] : [];
  for (const [i, address] of (addresses ?? []).entries()) {
    append(causes, validateAddress(at, index(at, i), address, addressType));
  }
  if (nodeName !== undefined)
    append(causes, causesFor(`${field}.nodeName`, nodeName, dns1123SubdomainProblems(nodeName)));
  if (hostname !== undefined) append(causes, causesFor(`${field}.hostname`, hostname, dns1123LabelProblems(hostname)));
  for (const [i, { name = '' }] of (hints?.forZones ?? []).entries()) {
    append(causes, causesFor(`${index(`${field}.hints.forZones`, i)}.name`, name, labelValueProblems(name)));
  }
  return causes;
}

/** Validates an address. One of the wrong family is reported for the whole list. */
function validateAddress(list: string, field: string, address: string, type: string): FieldError[] {
  if (type === 'FQDN') return causesFor(field, address, dns1123SubdomainProblems(address));
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const ip = tryParseIp(address);
  const problems = validateIpAddress(field, address);
  if (ip === undefined || problems.length > 0) return problems;
  const fits = `IPv${ip.family}` === type;
  return [
    ...(fits ? [] : [invalid(list, address, `must be an ${type} address`)]),
    ...validateReachable(field, address),
  ];
}

function validatePorts(ports: readonly Port[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, i) => {
    const at = index('ports', i);
    const causes = name === '' ? [] : causesFor(`${at}.name`, name, dns1123LabelProblems(name));
    if (names.has(name)) causes.push(duplicate(`${at}.name`, name));
    names.add(name);
    append(causes, validateOneOfIfSet(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
    return appProtocol === undefined ? causes : [...causes, ...validateLabelName(`${at}.appProtocol`, appProtocol)];
  });
}
