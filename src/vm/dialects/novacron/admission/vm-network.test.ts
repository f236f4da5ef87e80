import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { vmNetwork } from '#api/novacron/vm-network';
import { formatFieldError } from '#platform/base/field-error';
import { admissionTrial } from '#testing/admission-trial';
import { admission } from '#vm/admission/admit';
import { vmNetworkAdmitter } from './vm-network.ts';

const trial = admissionTrial(vmNetworkAdmitter);

function network(spec: object) {
  const { apiVersion, kind } = vmNetwork;
  return { apiVersion, kind, metadata: { name: 'net', namespace: 'default' }, spec: { type: 'overlay', ...spec } };
}
const base = { name: 'a', cidr: '10.0.0.0/24' };
const subnet = (fields: object) => network({ subnets: [{ ...base, ...fields }] });
const range = (start: string, end: string, more: object = {}) => subnet({ dhcp: { range: { start, end } }, ...more });
const policy = (fields: object) => network({ policies: [{ name: 'p', ...fields }] });

describe('a valid network is accepted:', () => {
  test.each<[string, object]>([
    ['with only a type', network({})],
    ['with the last address as gateway', subnet({ gateway: '10.0.0.254' })],
    ['with a DHCP range of one address', range('10.0.0.9', '10.0.0.9')],
    [
      'with adjacent subnets',
      network({ subnets: [base, { name: 'b', cidr: '10.0.1.0/24' }, { name: 'c', cidr: 'fd00::/64' }] }),
    ],
    ['with ports of a protocol', policy({ protocol: 'udp', ports: [1, 65535], destination: '::/0', action: 'deny' })],
    [
      'with the same priority in each direction',
      network({
        policies: [
          { name: 'p', priority: 1 },
          { name: 'q', priority: 1, direction: 'egress' },
        ],
      }),
    ],
  ])('%s', (_what, object) => {
    const { causes, warnings, unknownFields } = trial(object);
    expect([...causes, ...warnings, ...unknownFields]).toEqual([]);
  });
});

test('a rule allows by default, and DHCP with settings is enabled', () => {
  const { object } = trial(network({ subnets: [{ ...base, dhcp: {} }], policies: [{ name: 'p' }] }));
  expect(object.spec.subnets?.[0]?.dhcp).toEqual({ enabled: true });
  expect(object.spec.policies).toEqual([
    { name: 'p', priority: 1000, direction: 'ingress', protocol: 'any', action: 'allow' },
  ]);
});

describe('errors contain the field and a remedy:', () => {
  const NET = 'spec.subnets[0]';
  const IP = 'must be an IP address such as 10.0.1.10';
  const RANGE = 'must be a range of addresses such as 10.0.1.0/24 or fd00::/64';
  const options = (...pairs: [string, string][]) =>
    subnet({ dhcp: { options: pairs.map(([name, value]) => ({ name, value })) } });

  test.each<[string, object, string[]]>([
    ['an invalid range', subnet({ cidr: '10.0.0.0' }), [`${NET}.cidr: Invalid value: "10.0.0.0": ${RANGE}`]],
    [
      'a range with host bits',
      subnet({ cidr: '10.0.0.9/24' }),
      [`${NET}.cidr: Invalid value: "10.0.0.9/24": must begin at the start of the range: 10.0.0.0/24`],
    ],
    [
      'a gateway outside the subnet',
      subnet({ gateway: '10.0.1.1' }),
      [`${NET}.gateway: Invalid value: "10.0.1.1": must be in 10.0.0.0/24`],
    ],
    [
      'a gateway at the network address',
      subnet({ gateway: '10.0.0.0' }),
      [`${NET}.gateway: Invalid value: "10.0.0.0": is the network address of 10.0.0.0/24`],
    ],
    [
      'a gateway at the broadcast address',
      subnet({ gateway: '10.0.0.255' }),
      [`${NET}.gateway: Invalid value: "10.0.0.255": is the broadcast address of 10.0.0.0/24`],
    ],
    ['an invalid gateway', subnet({ gateway: 'x' }), [`${NET}.gateway: Invalid value: "x": ${IP}`]],
    [
      'a DHCP range outside the subnet',
      range('10.0.1.1', '10.0.1.9'),
      [
        `${NET}.dhcp.range.start: Invalid value: "10.0.1.1": must be in 10.0.0.0/24`,
        `${NET}.dhcp.range.end: Invalid value: "10.0.1.9": must be in 10.0.0.0/24`,
      ],
    ],
    [
      'a reversed DHCP range',
      range('10.0.0.9', '10.0.0.8'),
      [`${NET}.dhcp.range.end: Invalid value: "10.0.0.8": must not be before start, 10.0.0.9`],
    ],
    [
      'a duplicate DHCP option',
      options(['mtu', '1'], ['mtu', '2']),
      [`${NET}.dhcp.options[1].name: Duplicate value: "mtu"`],
    ],
    [
      'a name server by name',
      options(['dns-server', '8.8.8.8, ns.example.com']),
      [
        `${NET}.dhcp.options[0].value: Invalid value: "8.8.8.8, ns.example.com": must be IP addresses separated by commas`,
      ],
    ],
    [
      'overlapping subnets',
      network({ subnets: [base, { name: 'b', cidr: '10.0.0.128/25' }] }),
      ['spec.subnets[1].cidr: Invalid value: "10.0.0.128/25": overlaps subnet a, 10.0.0.0/24'],
    ],
    [
      'a duplicate subnet name',
      network({ subnets: [base, { name: 'a', cidr: '10.0.1.0/24' }] }),
      ['spec.subnets[1]: Duplicate value: {"name":"a"}'],
    ],
    [
      'VXLAN without a VNI',
      network({ config: { driver: 'vxlan' } }),
      ['spec.config.vni: Required value: driver vxlan needs a vni from 1 to 16777215'],
    ],
    [
      'a VNI that is too large',
      network({ config: { driver: 'vxlan', vni: 16777216 } }),
      ['spec.config.vni: Invalid value: 16777216: spec.config.vni in body should be less than or equal to 16777215'],
    ],
    [
      'an MTU that is too small',
      network({ config: { mtu: 575 } }),
      ['spec.config.mtu: Invalid value: 575: spec.config.mtu in body should be greater than or equal to 576'],
    ],
    [
      'an MTU that is too large',
      network({ config: { mtu: 9001 } }),
      ['spec.config.mtu: Invalid value: 9001: spec.config.mtu in body should be less than or equal to 9000'],
    ],
    [
      'a bridge with a tunnel driver',
      network({ type: 'bridge', config: { driver: 'geneve' } }),
      ['spec.config.driver: Invalid value: "geneve": a network of type bridge requires one of linux-bridge, vlan'],
    ],
    [
      'ports without a protocol',
      policy({ ports: [80] }),
      ['spec.policies[0].ports: Forbidden: ports may only be set with protocol tcp or udp'],
    ],
    [
      'a port out of range',
      policy({ protocol: 'tcp', ports: [0] }),
      [
        'spec.policies[0].ports[0]: Invalid value: 0: spec.policies[0].ports[0] in body should be greater than or equal to 1',
      ],
    ],
    [
      'an invalid source range',
      policy({ source: '10.0.0.1' }),
      [
        'spec.policies[0].source: Invalid value: "10.0.0.1": must be a range of addresses such as 10.0.0.0/8 or 0.0.0.0/0',
      ],
    ],
    [
      'a bandwidth without a unit',
      network({ qos: { bandwidth: { egress: '10G' } } }),
      [
        'spec.qos.bandwidth.egress: Invalid value: "10G": spec.qos.bandwidth.egress in body should match \'^[1-9][0-9]*[KMGT]?bps$\'',
      ],
    ],
  ])('%s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test('if two ranges overlap, exactly if one contains the other', () => {
    const block = fc.tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 24, max: 28 })).map(([host, prefix]) => {
      const size = 2 ** (32 - prefix);
      const start = host - (host % size);
      return { start, end: start + size, cidr: `10.0.0.${start}/${prefix}` };
    });
    fc.assert(
      fc.property(block, block, (a, b) => {
        const { causes } = trial(
          network({
            subnets: [
              { name: 'a', cidr: a.cidr },
              { name: 'b', cidr: b.cidr },
            ],
          }),
        );
        expect(causes.length).toBe(a.start < b.end && b.start < a.end ? 1 : 0);
      }),
    );
  });
});

describe('a network gets a warning', () => {
  test('about a gateway within the DHCP range', () => {
    expect(trial(range('10.0.0.1', '10.0.0.99', { gateway: '10.0.0.1' }))).toMatchObject({
      causes: [],
      warnings: ['spec.subnets[0].gateway is in the DHCP range and is never assigned to a VM'],
    });
  });

  test('about two rules of the same priority', () => {
    const policies = ['p', 'q'].map((name) => ({ name, priority: 5 }));
    expect(trial(network({ policies }))).toMatchObject({
      causes: [],
      warnings: [
        'spec.policies[1].priority: another ingress rule has priority 5 too; they apply in the order of their names',
      ],
    });
  });

  test('about a VNI that has no effect', () => {
    expect(trial(network({ type: 'bridge', config: { driver: 'vlan', vni: 3 } })).warnings).toEqual([
      'spec.config.vni has no effect with driver vlan',
    ]);
  });
});

describe('an existing network', () => {
  const before = network({ subnets: [base] });

  test('cannot change its type and ranges, but can add and delete subnets', () => {
    expect(trial(network({ type: 'ovs', subnets: [base] }), before).causes).toEqual([
      'spec.type: Invalid value: "ovs": the type of a network cannot be changed',
    ]);
    expect(trial(network({ subnets: [{ ...base, cidr: '10.0.0.0/25' }] }), before).causes).toEqual([
      'spec.subnets[0].cidr: Invalid value: "10.0.0.0/25": the range of a subnet cannot be changed',
    ]);
    expect(trial(network({ subnets: [{ name: 'b', cidr: '10.9.0.0/24' }, base] }), before).causes).toEqual([]);
    expect(trial(network({ subnets: [] }), before).causes).toEqual([]);
  });

  test.each([
    [0, []],
    [1, ['metadata.name: Forbidden: 1 VM is connected to the network']],
    [45, ['metadata.name: Forbidden: 45 VMs are connected to the network']],
  ])('can be deleted with %d VMs or not', (connectedVMs, causes) => {
    const stored = { ...trial(before).object, status: { connectedVMs } };
    const verdict = admission(vmNetworkAdmitter)({
      operation: 'DELETE',
      object: structuredClone(stored),
      old: stored,
      user: { name: 'tester', groups: [] },
      lookup: () => undefined,
    });
    expect(verdict.causes.map(formatFieldError)).toEqual(causes);
  });
});
