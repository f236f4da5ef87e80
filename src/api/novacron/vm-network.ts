import { conditions } from '#platform/schema/conditions';
import type { CelRule } from '#platform/schema/json-schema';
import { defineKind, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, integer, list, object, required, string } from '#platform/schema/schema';
import { bandwidth } from './bandwidth.ts';
import { networkTypes } from './network-interface.ts';

const address = (description: string) => string(description, { minLength: 1, maxLength: 64 });

const immutableField = (what: string): { readonly rules: readonly CelRule[] } => ({
  rules: [{ rule: 'self == oldSelf', message: `${what} cannot be changed` }],
});

const config = object(
  'How the network is built.',
  {
    driver: choice('What carries the traffic; left out, what suits the type best.', [
      'vxlan',
      'geneve',
      'gre',
      'vlan',
      'linux-bridge',
      'openvswitch',
      'sriov',
      'macvlan',
    ]),
    vni: integer('Number that keeps this network apart from others on the same wire; required for driver vxlan.', {
      format: 'int32',
      minimum: 1,
      maximum: 16777215,
    }),
    mtu: integer('Largest packet, in bytes; left out, 1450 in a tunnel and 1500 elsewhere.', {
      format: 'int32',
      minimum: 576,
      maximum: 9000,
    }),
  },
  {
    rules: [
      {
        rule: "!has(self.driver) || self.driver != 'vxlan' || has(self.vni)",
        message: 'driver vxlan needs a vni from 1 to 16777215',
        reason: 'FieldValueRequired',
        fieldPath: '.vni',
      },
    ],
  },
);

const subnet = object('A range of addresses.', {
  name: required(string('Name of the subnet, unique in the network.', { minLength: 1, maxLength: 63 })),
  cidr: required(
    string('The range, such as 10.0.0.0/24; it cannot be changed later.', {
      minLength: 1,
      maxLength: 64,
      ...immutableField('the range of a subnet'),
    }),
  ),
  gateway: address('Address of the router, in the range; no machine gets it.'),
  dhcp: object('Hands out addresses of the subnet.', {
    enabled: boolean('Whether addresses are handed out.', { default: true }),
    range: object('Addresses that are handed out; all that are free when left out.', {
      start: required(address('First address.')),
      end: required(address('Last address.')),
    }),
    options: list(
      'What machines are told besides their address.',
      object('A DHCP option.', {
        name: required(string('Name of the option, such as dns-server.', { minLength: 1, maxLength: 63 })),
        value: required(string('Value of the option; several values are separated by commas.', { maxLength: 1024 })),
      }),
      { maxItems: 64 },
    ),
  }),
});

const policy = object(
  'A rule for traffic.',
  {
    name: required(string('Name of the rule, unique in the network.', { minLength: 1, maxLength: 63 })),
    priority: integer('Order of the rules: the smallest number is looked at first.', {
      format: 'int32',
      minimum: 0,
      maximum: 65535,
      default: 1000,
    }),
    direction: choice('Whether it is about traffic to the machines or from them.', ['ingress', 'egress'], {
      default: 'ingress',
    }),
    protocol: choice('Protocol that it is about.', ['tcp', 'udp', 'icmp', 'any'], { default: 'any' }),
    ports: list(
      'Ports that it is about; all when empty. Only for tcp and udp.',
      integer('A port.', { format: 'int32', minimum: 1, maximum: 65535 }),
      { type: 'set', maxItems: 256 },
    ),
    source: address('Range that the traffic comes from; any when left out.'),
    destination: address('Range that the traffic goes to; any when left out.'),
    action: choice('What happens to the traffic.', ['allow', 'deny'], { default: 'allow' }),
  },
  {
    rules: [
      {
        rule: "!has(self.ports) || size(self.ports) == 0 || self.protocol == 'tcp' || self.protocol == 'udp'",
        message: 'ports go with protocol tcp or udp',
        reason: 'FieldValueForbidden',
        fieldPath: '.ports',
      },
    ],
  },
);

const spec = object('The network that is wanted.', {
  type: required(
    choice(
      'How machines are connected; it cannot be changed later.',
      networkTypes,
      immutableField('the type of a network'),
    ),
  ),
  config,
  subnets: list('Ranges of addresses, none of which overlap.', subnet, { keys: ['name'], maxItems: 64 }),
  policies: list('Which traffic may pass; all traffic when empty.', policy, { keys: ['name'], maxItems: 256 }),
  qos: object('How the capacity is shared.', {
    bandwidth: object('Limits for each machine; none where left out.', {
      ingress: bandwidth('Limit of the traffic to a machine, such as 10Gbps.'),
      egress: bandwidth('Limit of the traffic from a machine, such as 10Gbps.'),
    }),
    priority: choice('Which traffic goes first when capacity is short.', ['low', 'medium', 'high'], {
      default: 'medium',
    }),
  }),
});

const countField = (description: string) => integer(description, { format: 'int64', minimum: 0 });

const status = object('What was last observed.', {
  observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
  phase: choice('Whether the network can be used.', ['Pending', 'Active', 'Failed']),
  allocatedIPs: countField('Addresses in use.'),
  availableIPs: countField('Addresses that are free; network, broadcast and gateway addresses never count.'),
  connectedVMs: countField('Machines with an interface in the network.'),
  conditions: conditions('Ready'),
});

export const vmNetwork = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VMNetwork',
  plural: 'vmnetworks',
  shortNames: ['vmnet'],
  description: 'A network for virtual machines: its subnets, which traffic may pass, and how capacity is shared.',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type', description: 'How machines are connected.' },
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Whether the network can be used.' },
    { name: 'Allocated', type: 'integer', path: '.status.allocatedIPs', description: 'Addresses in use.' },
    { name: 'Available', type: 'integer', path: '.status.availableIPs', description: 'Addresses that are free.' },
    { name: 'VMs', type: 'integer', path: '.status.connectedVMs', description: 'Machines in the network.' },
    {
      name: 'CIDR',
      type: 'string',
      path: '.spec.subnets[0].cidr',
      description: 'Range of the first subnet.',
      wide: true,
    },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'backend',
    spec: {
      type: 'overlay',
      config: { driver: 'vxlan', vni: 42, mtu: 1450 },
      subnets: [{ name: 'main', cidr: '10.20.0.0/24', gateway: '10.20.0.1' }],
    },
  },
});

export type VMNetwork = ObjectOf<typeof vmNetwork>;
