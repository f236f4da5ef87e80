import type { CelRule } from '#platform/schema/json-schema';
import { choice, list, object, requiredField, string } from '#platform/schema/schema';

export const networkTypes = ['bridge', 'ovs', 'overlay', 'sr-iov', 'macvlan'] as const;

/** Name of the interface on the pod network. */
export const POD_NETWORK = 'default';

/** An address is either assigned or static, never both. */
const addressing: readonly CelRule[] = [
  {
    rule: "self.method != 'static' || has(self.address)",
    message: 'method static needs an address',
    reason: 'FieldValueRequired',
    fieldPath: '.address',
  },
  {
    rule: "self.method != 'dhcp' || !has(self.address)",
    message: 'an address may only be set with method static',
    reason: 'FieldValueForbidden',
    fieldPath: '.address',
  },
  {
    rule: "self.method != 'dhcp' || !has(self.gateway)",
    message: 'a gateway may only be set with method static',
    reason: 'FieldValueForbidden',
    fieldPath: '.gateway',
  },
];

function family(version: 'IPv4' | 'IPv6', example: string) {
  return object(
    `How the interface gets its ${version} address.`,
    {
      method: choice(
        `Where the ${version} address comes from: a DHCP server, or the fields below. static is not supported yet: a VM that uses it is not started.`,
        ['dhcp', 'static'],
        {
          default: 'dhcp',
        },
      ),
      address: string(`Address and prefix length for method static, such as ${example}.`, { maxLength: 64 }),
      gateway: string('Default gateway for method static, in the subnet of the address.', { maxLength: 64 }),
      dns: list(
        'Addresses of name servers, in order. Defaults to those of the network.',
        string('An address.', { maxLength: 64 }),
        {
          maxItems: 8,
        },
      ),
    },
    { rules: addressing },
  );
}

export const networkInterfaces = list(
  'Network interfaces of the VM; empty means one interface on the pod network.',
  object('A network interface.', {
    name: requiredField(
      string(
        'Name of the interface, unique in the VM. default connects to the pod network, any other name to the NetworkAttachmentDefinition of this name in the namespace.',
        {
          minLength: 1,
          maxLength: 253,
        },
      ),
    ),
    type: choice(
      'How the interface is connected. Defaults to the type of the VMNetwork, or else to bridge.',
      networkTypes,
    ),
    ipv4: family('IPv4', '10.0.1.10/24'),
    ipv6: family('IPv6', 'fd00::10/64'),
  }),
  { keys: ['name'], maxItems: 32 },
);
