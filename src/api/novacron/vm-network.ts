import { conditions } from '#platform/schema/conditions';
import type { CelRule } from '#platform/schema/json-schema';
import { defineKind, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, integer, list, object, requiredField, string } from '#platform/schema/schema';
import { bandwidth } from './bandwidth.ts';
import { networkTypes } from './network-interface.ts';

const address = (description: string) => string(description, { minLength: 1, maxLength: 64 });

const immutableField = (what: string): { readonly rules: readonly CelRule[] } => ({
  rules: [{ rule: 'self == oldSelf', message: `${what} cannot be changed` }],
});

const config = object(
  'Implementation of the network.',
  {
    driver: choice('Network driver. The default depends on the type.', [
      'vxlan',
      'geneve',
      'gre',
      'vlan',
      'linux-bridge',
      'openvswitch',
      'sriov',
      'macvlan',
    ]),
    vni: integer('VXLAN network identifier; required for driver vxlan.', {
      format: 'int32',
      minimum: 1,
      maximum: 16777215,
    }),
    mtu: integer('MTU in bytes. Defaults to 1450 in a tunnel, otherwise to 1500.', {
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

const subnet = object('A subnet.', {
  name: requiredField(string('Name of the subnet, unique in the network.', { minLength: 1, maxLength: 63 })),
  cidr: requiredField(
    string('Address range, such as 10.0.0.0/24. Immutable.', {
      minLength: 1,
      maxLength: 64,
      ...immutableField('the range of a subnet'),
    }),
  ),
  gateway: address('Gateway address, in the range. It is never assigned to a VM.'),
  dhcp: object('DHCP server of the subnet.', {
    enabled: boolean('Whether DHCP is enabled.', { default: true }),
    range: object('Addresses that DHCP assigns. Defaults to all free ones.', {
      start: requiredField(address('First address.')),
      end: requiredField(address('Last address.')),
    }),
    options: list(
      'DHCP options.',
      object('A DHCP option.', {
        name: requiredField(string('Name of the option, such as dns-server.', { minLength: 1, maxLength: 63 })),
        value: requiredField(
          string('Value of the option; several values are separated by commas.', { maxLength: 1024 }),
        ),
      }),
      { maxItems: 64 },
    ),
  }),
});

const policy = object(
  'A traffic rule.',
  {
    name: requiredField(string('Name of the rule, unique in the network.', { minLength: 1, maxLength: 63 })),
    priority: integer('Priority of the rule: the smallest number is evaluated first.', {
      format: 'int32',
      minimum: 0,
      maximum: 65535,
      default: 1000,
    }),
    direction: choice('Direction of the traffic: to VMs or from VMs.', ['ingress', 'egress'], {
      default: 'ingress',
    }),
    protocol: choice('Protocol of the traffic.', ['tcp', 'udp', 'icmp', 'any'], { default: 'any' }),
    ports: list(
      'Ports of the traffic; all if empty. Only for tcp and udp.',
      integer('A port.', { format: 'int32', minimum: 1, maximum: 65535 }),
      { type: 'set', maxItems: 256 },
    ),
    source: address('Source range. Defaults to any.'),
    destination: address('Destination range. Defaults to any.'),
    action: choice('Action for the traffic.', ['allow', 'deny'], { default: 'allow' }),
  },
  {
    rules: [
      {
        rule: "!has(self.ports) || size(self.ports) == 0 || self.protocol == 'tcp' || self.protocol == 'udp'",
        message: 'ports may only be set with protocol tcp or udp',
        reason: 'FieldValueForbidden',
        fieldPath: '.ports',
      },
    ],
  },
);

const spec = object('Desired state of the network.', {
  type: requiredField(
    choice('How VMs are connected. Immutable.', networkTypes, immutableField('the type of a network')),
  ),
  config,
  subnets: list('Subnets, which must not overlap.', subnet, { keys: ['name'], maxItems: 64 }),
  policies: list('Traffic rules; all traffic is allowed if empty.', policy, { keys: ['name'], maxItems: 256 }),
  qos: object('Quality of service.', {
    bandwidth: object('Limits per VM. Unlimited if not set.', {
      ingress: bandwidth('Limit of the traffic to a VM, such as 10Gbps.'),
      egress: bandwidth('Limit of the traffic from a VM, such as 10Gbps.'),
    }),
    priority: choice('Priority of the traffic when bandwidth is scarce.', ['low', 'medium', 'high'], {
      default: 'medium',
    }),
  }),
});

const countField = (description: string) => integer(description, { format: 'int64', minimum: 0 });

const status = object('Observed state of the network.', {
  observedGeneration: integer('Generation of the spec that this status describes.', { format: 'int64', minimum: 0 }),
  phase: choice('Whether the network can be used.', ['Pending', 'Active', 'Failed']),
  allocatedIPs: countField('Addresses in use.'),
  availableIPs: countField('Free addresses, without network, broadcast and gateway addresses.'),
  connectedVMs: countField('VMs with an interface in the network.'),
  conditions: conditions('Ready'),
});

export const vmNetwork = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VMNetwork',
  plural: 'vmnetworks',
  shortNames: ['vmnet'],
  description: 'A network for virtual machines: subnets, traffic rules and quality of service.',
  spec,
  status,
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type', description: 'How VMs are connected.' },
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Whether the network can be used.' },
    { name: 'Allocated', type: 'integer', path: '.status.allocatedIPs', description: 'Addresses in use.' },
    { name: 'Available', type: 'integer', path: '.status.availableIPs', description: 'Free addresses.' },
    { name: 'VMs', type: 'integer', path: '.status.connectedVMs', description: 'VMs in the network.' },
    {
      name: 'CIDR',
      type: 'string',
      path: '.spec.subnets[0].cidr',
      description: 'Address range of the first subnet.',
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
