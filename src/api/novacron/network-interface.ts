import type { CelRule } from '#platform/schema/json-schema';
import { choice, list, object, required, string } from '#platform/schema/schema';

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
    message: 'an address is given with method static only',
    reason: 'FieldValueForbidden',
    fieldPath: '.address',
  },
  {
    rule: "self.method != 'dhcp' || !has(self.gateway)",
    message: 'a gateway is given with method static only',
    reason: 'FieldValueForbidden',
    fieldPath: '.gateway',
  },
];

function family(version: 'IPv4' | 'IPv6', example: string) {
  return object(
    `How the interface gets its ${version} address.`,
    {
      method: choice(
        `Where the ${version} address comes from: a DHCP server, or the fields below. static is not served yet, and keeps the machine from starting.`,
        ['dhcp', 'static'],
        {
          default: 'dhcp',
        },
      ),
      address: string(`Address and prefix length for method static, such as ${example}.`, { maxLength: 64 }),
      gateway: string('Default gateway for method static; it lies in the subnet of the address.', { maxLength: 64 }),
      dns: list(
        'Addresses of name servers, in the order they are asked; empty means those of the network.',
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
  'Network interfaces of the machine; empty means one interface on the pod network.',
  object('A network interface.', {
    name: required(
      string(
        'Name of the interface, unique in the machine. default connects to the network of pods, any other name to the NetworkAttachmentDefinition of this name in the namespace.',
        {
          minLength: 1,
          maxLength: 253,
        },
      ),
    ),
    type: choice('How the interface is connected; left out, as the VMNetwork says, else bridge.', networkTypes),
    ipv4: family('IPv4', '10.0.1.10/24'),
    ipv6: family('IPv6', 'fd00::10/64'),
  }),
  { keys: ['name'], maxItems: 32 },
);
