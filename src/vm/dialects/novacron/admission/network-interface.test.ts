import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualMachine } from '#api/novacron/virtual-machine';
import { vmNetwork } from '#api/novacron/vm-network';
import { formatFieldError } from '#platform/base/field-error';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import { admission } from '#vm/admission/admit';
import { virtualMachineAdmitter } from './virtual-machine.ts';
import { trial } from './well-formed.fixture.ts';

const resources = { cpu: 2, memory: '4Gi' };
const image = { source: 'marketplace://debian-12' };

function raw(spec: object, name = 'web') {
  const { apiVersion, kind } = virtualMachine;
  return { apiVersion, kind, metadata: { name, namespace: 'default' }, spec };
}
const machine = (spec: object, more: object = {}) =>
  raw({ template: { spec: { resources, image, ...spec } }, ...more });
const network = (fields: object) => machine({ networks: [{ name: 'net', ...fields }] });
const fixed = (address: string, more: object = {}) => network({ ipv4: { method: 'static', address, ...more } });

const AT = 'spec.template.spec';

describe('a network interface', () => {
  const NET = `${AT}.networks[0]`;

  test.each<[string, object]>([
    ['dhcp', network({ ipv4: { method: 'dhcp', dns: ['9.9.9.9', '2620:fe::fe'] } })],
    ['a fixed address without a gateway', fixed('10.0.1.10/24')],
    ['both addresses of a point-to-point link', fixed('10.0.1.0/31', { gateway: '10.0.1.1' })],
    ['IPv6', network({ ipv6: { method: 'static', address: 'fd00::ffff/112', gateway: 'fd00::1' } })],
  ])('may have %s', (_what, object) => {
    expect(trial(object).causes).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    [
      'static without an address',
      network({ ipv4: { method: 'static' } }),
      [`${NET}.ipv4.address: Required value: method static needs an address`],
    ],
    [
      'an address with dhcp',
      network({ ipv4: { address: '10.0.0.5/24', gateway: '10.0.0.1' } }),
      [
        `${NET}.ipv4.address: Forbidden: an address may only be set with method static`,
        `${NET}.ipv4.gateway: Forbidden: a gateway may only be set with method static`,
      ],
    ],
    [
      'an address without a prefix',
      fixed('10.0.1.10'),
      [
        `${NET}.ipv4.address: Invalid value: "10.0.1.10": must be an IPv4 address and prefix length such as 10.0.1.10/24`,
      ],
    ],
    [
      'an address of the other family',
      network({ ipv6: { method: 'static', address: '10.0.1.10/24' } }),
      [
        `${NET}.ipv6.address: Invalid value: "10.0.1.10/24": must be an IPv6 address and prefix length such as fd00::10/64`,
      ],
    ],
    [
      'the network address',
      fixed('10.0.1.0/24'),
      [`${NET}.ipv4.address: Invalid value: "10.0.1.0/24": is the network address of 10.0.1.0/24`],
    ],
    [
      'the broadcast address',
      fixed('10.0.1.255/24'),
      [`${NET}.ipv4.address: Invalid value: "10.0.1.255/24": is the broadcast address of 10.0.1.0/24`],
    ],
    [
      'a gateway outside the subnet',
      fixed('10.0.1.10/24', { gateway: '10.0.2.1' }),
      [`${NET}.ipv4.gateway: Invalid value: "10.0.2.1": must be in 10.0.1.0/24`],
    ],
    [
      'an invalid gateway',
      fixed('10.0.1.10/24', { gateway: 'router' }),
      [`${NET}.ipv4.gateway: Invalid value: "router": must be an IPv4 address such as 10.0.1.10`],
    ],
    [
      'the address of the gateway',
      fixed('10.0.1.1/24', { gateway: '10.0.1.1' }),
      [`${NET}.ipv4.address: Invalid value: "10.0.1.1/24": is the address of the gateway`],
    ],
    [
      'a name server by name',
      network({ ipv4: { dns: ['1.1.1.1', 'dns.example.com'] } }),
      [`${NET}.ipv4.dns[1]: Invalid value: "dns.example.com": must be an IP address such as 10.0.1.10`],
    ],
    [
      'a duplicate name',
      machine({ networks: [{ name: 'a' }, { name: 'a' }] }),
      [`${AT}.networks[1]: Duplicate value: {"name":"a"}`],
    ],
    [
      'a duplicate address',
      machine({
        networks: ['a', 'b'].map((name) => ({ name, ipv4: { method: 'static', address: '10.0.0.5/24' } })),
      }),
      [`${AT}.networks[1].ipv4.address: Duplicate value: "10.0.0.5/24"`],
    ],
  ])('may not have %s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });

  test('may have each address of any subnet except the first and the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 30 }), fc.nat(), (prefix, seed) => {
        const size = 2 ** (32 - prefix);
        const offset = seed % size;
        const address = `10.${[16, 8, 0].map((shift) => (offset >> shift) & 255).join('.')}/${prefix}`;
        expect(trial(fixed(address)).causes.length).toBe(offset === 0 || offset === size - 1 ? 1 : 0);
      }),
    );
  });

  describe('that names a VMNetwork', () => {
    const subnets = [
      { name: 'a', cidr: '10.7.0.0/24', gateway: '10.7.0.1' },
      { name: 'b', cidr: 'fd07::/64' },
    ];
    const net = {
      apiVersion: vmNetwork.apiVersion,
      kind: vmNetwork.kind,
      metadata: { name: 'net', namespace: 'default' },
      spec: { type: 'overlay', subnets },
    } as unknown as ObjectOf<typeof vmNetwork>;
    const lookup = <K extends Kind>(kind: K, namespace: string, name: string) =>
      (kind.kind === 'VMNetwork' && namespace === 'default' && name === 'net' ? net : undefined) as
        | ObjectOf<K>
        | undefined;
    const causes = (object: object, old?: ObjectOf<typeof virtualMachine>) =>
      admission(virtualMachineAdmitter)({
        operation: old === undefined ? 'CREATE' : 'UPDATE',
        object,
        ...(old === undefined ? {} : { old }),
        user: { name: 'tester', groups: [] },
        lookup,
      }).causes.map(formatFieldError);

    test('may have an address of its subnets', () => {
      expect(causes(fixed('10.7.0.9/24'))).toEqual([]);
      expect(causes(network({ ipv6: { method: 'static', address: 'fd07::9/64' } }))).toEqual([]);
    });

    test('gets no further warning if it is unchanged', () => {
      const outside = fixed('10.8.0.9/24');
      const stored = trial(outside).object;
      const stopped = { ...outside, spec: { ...outside.spec, running: false } };
      expect(causes(stopped, stored)).toEqual([]);
      expect(causes(fixed('10.8.0.10/24'), stored)).toHaveLength(1);
    });

    test.each<[string, object, string]>([
      [
        'an address of no subnet',
        fixed('10.8.0.9/24'),
        `${NET}.ipv4.address: Invalid value: "10.8.0.9/24": must be in a subnet of the VMNetwork net: 10.7.0.0/24, fd07::/64`,
      ],
      [
        'the address of its gateway',
        fixed('10.7.0.1/24'),
        `${NET}.ipv4.address: Invalid value: "10.7.0.1/24": is the address of the gateway of the VMNetwork net`,
      ],
      [
        'its broadcast address',
        fixed('10.7.0.255/16'),
        `${NET}.ipv4.address: Invalid value: "10.7.0.255/16": is the broadcast address of 10.7.0.0/24`,
      ],
      [
        'another type',
        network({ type: 'bridge' }),
        `${NET}.type: Invalid value: "bridge": the VMNetwork net is of type overlay`,
      ],
    ])('may not have %s', (_what, object, cause) => {
      expect(causes(object)).toEqual([cause]);
    });
  });
});
