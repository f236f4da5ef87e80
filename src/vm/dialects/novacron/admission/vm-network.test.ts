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

describe('a sound network is accepted:', () => {
  test.each<[string, object]>([
    ['nothing but a type', network({})],
    ['a gateway at the end', subnet({ gateway: '10.0.0.254' })],
    ['a range of one address', range('10.0.0.9', '10.0.0.9')],
    [
      'subnets side by side',
      network({ subnets: [base, { name: 'b', cidr: '10.0.1.0/24' }, { name: 'c', cidr: 'fd00::/64' }] }),
    ],
    ['ports of a protocol', policy({ protocol: 'udp', ports: [1, 65535], destination: '::/0', action: 'deny' })],
    [
      'one priority for each direction',
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

test('a rule without an action allows, and DHCP that is described is on', () => {
  const { object } = trial(network({ subnets: [{ ...base, dhcp: {} }], policies: [{ name: 'p' }] }));
  expect(object.spec.subnets?.[0]?.dhcp).toEqual({ enabled: true });
  expect(object.spec.policies).toEqual([
    { name: 'p', priority: 1000, direction: 'ingress', protocol: 'any', action: 'allow' },
  ]);
});

describe('what is wrong is named with its place and what would be right', () => {
  const NET = 'spec.subnets[0]';
  const IP = 'must be an IP address such as 10.0.1.10';
  const RANGE = 'must be a range of addresses such as 10.0.1.0/24 or fd00::/64';
  const options = (...pairs: [string, string][]) =>
    subnet({ dhcp: { options: pairs.map(([name, value]) => ({ name, value })) } });

  test.each<[string, object, string[]]>([
    ['a range that is none', subnet({ cidr: '10.0.0.0' }), [`${NET}.cidr: Invalid value: "10.0.0.0": ${RANGE}`]],
    [
      'a range from its middle',
      subnet({ cidr: '10.0.0.9/24' }),
      [`${NET}.cidr: Invalid value: "10.0.0.9/24": must begin at the start of the range: 10.0.0.0/24`],
    ],
    [
      'a gateway outside',
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
    ['a gateway that is none', subnet({ gateway: 'x' }), [`${NET}.gateway: Invalid value: "x": ${IP}`]],
    [
      'a DHCP range outside',
      range('10.0.1.1', '10.0.1.9'),
      [
        `${NET}.dhcp.range.start: Invalid value: "10.0.1.1": must be in 10.0.0.0/24`,
        `${NET}.dhcp.range.end: Invalid value: "10.0.1.9": must be in 10.0.0.0/24`,
      ],
    ],
    [
      'a DHCP range backwards',
      range('10.0.0.9', '10.0.0.8'),
      [`${NET}.dhcp.range.end: Invalid value: "10.0.0.8": must not be before start, 10.0.0.9`],
    ],
    ['an option twice', options(['mtu', '1'], ['mtu', '2']), [`${NET}.dhcp.options[1].name: Duplicate value: "mtu"`]],
    [
      'a name server by name',
      options(['dns-server', '8.8.8.8, ns.example.com']),
      [
        `${NET}.dhcp.options[0].value: Invalid value: "8.8.8.8, ns.example.com": must be IP addresses separated by commas`,
      ],
    ],
    [
      'subnets that overlap',
      network({ subnets: [base, { name: 'b', cidr: '10.0.0.128/25' }] }),
      ['spec.subnets[1].cidr: Invalid value: "10.0.0.128/25": overlaps subnet a, 10.0.0.0/24'],
    ],
    [
      'subnets of a name',
      network({ subnets: [base, { name: 'a', cidr: '10.0.1.0/24' }] }),
      ['spec.subnets[1]: Duplicate value: {"name":"a"}'],
    ],
    [
      'vxlan without a number',
      network({ config: { driver: 'vxlan' } }),
      ['spec.config.vni: Required value: driver vxlan needs a vni from 1 to 16777215'],
    ],
    [
      'a number too large',
      network({ config: { driver: 'vxlan', vni: 16777216 } }),
      ['spec.config.vni: Invalid value: 16777216: spec.config.vni in body should be less than or equal to 16777215'],
    ],
    [
      'packets too small',
      network({ config: { mtu: 575 } }),
      ['spec.config.mtu: Invalid value: 575: spec.config.mtu in body should be greater than or equal to 576'],
    ],
    [
      'packets too large',
      network({ config: { mtu: 9001 } }),
      ['spec.config.mtu: Invalid value: 9001: spec.config.mtu in body should be less than or equal to 9000'],
    ],
    [
      'a bridge in a tunnel',
      network({ type: 'bridge', config: { driver: 'geneve' } }),
      ['spec.config.driver: Invalid value: "geneve": a network of type bridge requires one of linux-bridge, vlan'],
    ],
    [
      'ports of no protocol',
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
      'a source that is no range',
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

  test('blocks of a range overlap exactly when one lies in the other', () => {
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

describe('what is odd but works is a warning', () => {
  test('a gateway within the DHCP range', () => {
    expect(trial(range('10.0.0.1', '10.0.0.99', { gateway: '10.0.0.1' }))).toMatchObject({
      causes: [],
      warnings: ['spec.subnets[0].gateway is in the DHCP range and is never assigned to a VM'],
    });
  });

  test('two rules of one priority', () => {
    const policies = ['p', 'q'].map((name) => ({ name, priority: 5 }));
    expect(trial(network({ policies }))).toMatchObject({
      causes: [],
      warnings: [
        'spec.policies[1].priority: another ingress rule has priority 5 too; they apply in the order of their names',
      ],
    });
  });

  test('a number for what has none', () => {
    expect(trial(network({ type: 'bridge', config: { driver: 'vlan', vni: 3 } })).warnings).toEqual([
      'spec.config.vni has no effect with driver vlan',
    ]);
  });
});

describe('once it is there', () => {
  const before = network({ subnets: [base] });

  test('type and ranges stay, and subnets may be added and removed', () => {
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
  ])('it may be deleted with %d machines or not', (connectedVMs, causes) => {
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
