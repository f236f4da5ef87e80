import fc from 'fast-check';
import type { FieldHints, HintedPart } from './field-hints.ts';

const DRIVERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  overlay: ['vxlan', 'geneve', 'gre'],
  bridge: ['linux-bridge', 'vlan'],
  ovs: ['openvswitch', 'geneve', 'vlan'],
  'sr-iov': ['sriov', 'vlan'],
  macvlan: ['macvlan', 'vlan'],
};
const ranges = {
  good: fc.constantFrom('10.0.0.0/8', '0.0.0.0/0', 'fd00::/8', '192.0.2.7/32'),
  bad: ['any', '10.0.0.0', '10.0.0.0/33'],
};

const addresses = fc.constantFrom('10.0.0.53', 'fd00::53');

export const vmNetwork: FieldHints = {
  fields: {
    'policies[].source': ranges,
    'policies[].destination': ranges,
    'subnets[].cidr': { good: fc.constant('10.0.0.0/24'), bad: ['10.0.0.1/24', '10.0.0.0', 'any', '10.0.0.0/40'] },
    'subnets[].gateway': { good: addresses, bad: ['router', '203.0.113.1', '10.0'] },
    'range.start': { good: addresses, bad: ['first', '203.0.113.1'] },
    'range.end': { good: addresses, bad: ['last', '203.0.113.1'] },
  },
  repairs: {
    subnets: (subnets: HintedPart[]) => {
      for (const [i, subnet] of subnets.entries()) placeSubnet(subnet, i);
    },
    'dhcp.options': (options: HintedPart[]) => {
      for (const [i, option] of options.entries()) {
        Object.assign(option, i === 0 ? { name: 'dns-server', value: '10.0.0.2, fd00::2' } : { name: `option-${i}` });
      }
    },
    'policies[]': (policy: HintedPart, draw) => {
      const ports = (policy['ports'] ?? []) as unknown[];
      if (ports.length > 0) policy['protocol'] = draw.one(['tcp', 'udp']);
    },
    '.spec': (spec: HintedPart, draw) => {
      const config = spec['config'] as HintedPart | undefined;
      if (config === undefined) return;
      if (config['driver'] !== undefined) config['driver'] = draw.one(DRIVERS[String(spec['type'])] ?? ['vlan']);
      if (config['driver'] === 'vxlan') config['vni'] ??= 42;
    },
  },
};

/** Puts the addresses of a subnet into a range of its own. */
function placeSubnet(subnet: HintedPart, i: number): void {
  const base = i % 2 === 0 ? `10.0.${i}.` : `fd00:${i}::`;
  Object.assign(subnet, { cidr: i % 2 === 0 ? `${base}0/24` : `${base}/64` });
  if (subnet['gateway'] !== undefined) subnet['gateway'] = `${base}1`;
  const range = (subnet['dhcp'] as HintedPart | undefined)?.['range'] as HintedPart | undefined;
  if (range !== undefined) Object.assign(range, { start: `${base}20`, end: `${base}90` });
}
