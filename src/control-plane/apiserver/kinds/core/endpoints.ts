import { append } from '#platform/base/append';
import { contains, parseCidr } from '#platform/base/cidr';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { causesFor, validateIpAddress, validateLabelName, validateOneOf, validatePortNumber } from '../field-checks.ts';
import { parseLoosely } from '../ip-text.ts';
import type { KindStrategy } from '../kind-strategy.ts';

interface Address {
  ip?: string;
  hostname?: string;
  nodeName?: string;
}

interface Port {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

interface Endpoints {
  subsets?: { addresses?: Address[]; notReadyAddresses?: Address[]; ports?: Port[] }[];
}

export const endpoints: KindStrategy<Endpoints> = {
  defaults(object) {
    for (const { ports = [] } of object.subsets ?? []) for (const port of ports) port.protocol ||= 'TCP';
  },
  validate(object) {
    return (object.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, i) => {
      const field = index('subsets', i);
      const none = addresses.length === 0 && notReadyAddresses.length === 0;
      return [
        ...(none ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
        ...addresses.flatMap((address, k) => validateAddress(index(`${field}.addresses`, k), address)),
        ...notReadyAddresses.flatMap((address, k) => validateAddress(index(`${field}.notReadyAddresses`, k), address)),
        ...ports.flatMap((port, k) => validatePort(index(`${field}.ports`, k), port, ports.length > 1)),
      ];
    });
  },
};

function validateAddress(field: string, { ip = '', hostname = '', nodeName }: Address): FieldError[] {
  return [
    ...validateIpAddress(`${field}.ip`, ip),
    ...(hostname === '' ? [] : causesFor(`${field}.hostname`, hostname, dns1123LabelProblems(hostname))),
    ...(nodeName === undefined ? [] : causesFor(`${field}.nodeName`, nodeName, dns1123SubdomainProblems(nodeName))),
    ...validateReachable(`${field}.ip`, ip),
  ];
}

function validatePort(
  field: string,
  { name = '', port, protocol = '', appProtocol }: Port,
  named: boolean,
): FieldError[] {
  const causes: FieldError[] = [];
  if (named && name === '') causes.push(required(`${field}.name`));
  else if (name !== '') append(causes, causesFor(`${field}.name`, name, dns1123LabelProblems(name)));
  append(causes, validatePortNumber(`${field}.port`, port));
  if (protocol === '') causes.push(required(`${field}.protocol`));
  else append(causes, validateOneOf(`${field}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']));
  return appProtocol === undefined ? causes : [...causes, ...validateLabelName(`${field}.appProtocol`, appProtocol)];
}

const BLOCKED: readonly (readonly [string, readonly string[]])[] = [
  ['may not be in the loopback range (127.0.0.0/8, ::1/128)', ['127.0.0.0/8', '::1/128']],
  ['may not be in the link-local range (169.254.0.0/16, fe80::/10)', ['169.254.0.0/16', 'fe80::/10']],
  ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)', ['224.0.0.0/24', 'ff02::/16']],
];

/** Rejects addresses that are local to every host. */
export function validateReachable(field: string, text: string): FieldError[] {
  const ip = parseLoosely(text);
  if (ip === undefined) return [invalid(field, text, 'must be a valid IP address')];
  if (ip.value === 0n) return [invalid(field, text, `may not be unspecified (${text})`)];
  return BLOCKED.filter(([, blocks]) => blocks.some((block) => contains(parseCidr(block), ip))).map(([detail]) =>
    invalid(field, text, detail),
  );
}
