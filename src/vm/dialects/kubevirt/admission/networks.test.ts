import { describe, expect, test } from 'vitest';
import { tryVm, type VmCase, type VmSpecOptions } from '#testing/vm-trial';

const cases = (rows: readonly VmCase[]) =>
  test.each(rows)('%s', (_, parts, causes) => expect(tryVm(parts).causes).toEqual(causes));

const iface = (index: number) => `spec.domain.devices.interfaces[${index}]`;

describe('networks', () => {
  const net = (interfaces: readonly object[], networks: readonly object[]): VmSpecOptions => ({
    devices: { interfaces },
    spec: { networks },
  });
  const pod = { name: 'net', pod: {} };
  const nic = { name: 'net', masquerade: {} };
  cases([
    ['a card on the pod network', net([nic], [pod]), []],
    ['a card without a binding gets the standard one', net([{ name: 'net' }], [pod]), []],
    [
      'a card without a network',
      net([nic, { name: 'other', bridge: {} }], [pod]),
      [`${iface(1)}.name: Not found: "other"`],
    ],
    [
      'a network without a card',
      net([nic], [pod, { name: 'other', multus: { networkName: 'x' } }]),
      ['spec.networks[1].name: Invalid value: "other": no interface has this name'],
    ],
    [
      'a network without a source',
      net([nic], [{ name: 'net' }]),
      ['spec.networks[0]: Required value: should have a network type: pod or multus'],
    ],
    [
      'a network with two sources',
      net([{ name: 'net', bridge: {} }], [{ ...pod, multus: { networkName: 'x' } }]),
      ['spec.networks[0]: Invalid value: "pod, multus": should have only one network type'],
    ],
    [
      'two pod networks',
      net([nic, { name: 'more', masquerade: {} }], [pod, { name: 'more', pod: {} }]),
      ['spec.networks: Invalid value: 2: more than one interface is connected to a pod network'],
    ],
    [
      'a default network beside the pod network',
      net([nic, { name: 'more', bridge: {} }], [pod, { name: 'more', multus: { networkName: 'x', default: true } }]),
      ['spec.networks: Invalid value: 2: Pod network cannot be defined when Multus default network is defined'],
    ],
    [
      'a network name with too many parts',
      net([{ name: 'net', bridge: {} }], [{ name: 'net', multus: { networkName: 'a/b/c' } }]),
      ['spec.networks[0].multus.networkName: Invalid value: "a/b/c": must be a name, or namespace/name'],
    ],
    [
      'a range that is none',
      net([nic], [{ name: 'net', pod: { vmNetworkCIDR: '10.0.2.0/33' } }]),
      ['spec.networks[0].pod.vmNetworkCIDR: Invalid value: "10.0.2.0/33": must be an IPv4 range, such as 10.0.2.0/24'],
    ],
    [
      'a range of the other family',
      net([nic], [{ name: 'net', pod: { vmIPv6NetworkCIDR: '10.0.2.0/24' } }]),
      [
        'spec.networks[0].pod.vmIPv6NetworkCIDR: Invalid value: "10.0.2.0/24": must be an IPv6 range, such as fd10:0:2::/120',
      ],
    ],
    [
      'two bindings, one of which nothing acts on',
      net([{ ...nic, sriov: {} }], [pod]),
      [`${iface(0)}: Invalid value: "masquerade, sriov": cannot have more than one interface type`],
    ],
    [
      'masquerade on a further network',
      net([nic], [{ name: 'net', multus: { networkName: 'x' } }]),
      [`${iface(0)}.masquerade: Invalid value: "net": Masquerade interface only implemented with pod network`],
    ],
    [
      'a hardware address that is none',
      net([{ ...nic, macAddress: '02:00:5e:10:00' }], [pod]),
      [
        `${iface(0)}.macAddress: Invalid value: "02:00:5e:10:00": malformed MAC address, must be like 02:00:5e:10:00:01`,
      ],
    ],
    [
      'the hardware address of a group',
      net([{ ...nic, macAddress: '01:00:5e:10:00:01' }], [pod]),
      [
        `${iface(0)}.macAddress: Invalid value: "01:00:5e:10:00:01": must be a unicast address: the first byte must be even`,
      ],
    ],
    [
      'one hardware address twice, however it is written',
      net(
        [
          { ...nic, macAddress: '02:00:5e:10:00:0a' },
          { name: 'more', bridge: {}, macAddress: '02-00-5E-10-00-0A' },
        ],
        [pod, { name: 'more', multus: { networkName: 'x' } }],
      ),
      [`${iface(1)}.macAddress: Duplicate value: "02-00-5E-10-00-0A"`],
    ],
    [
      'one port name twice',
      net(
        [
          {
            ...nic,
            ports: [
              { port: 80, name: 'web' },
              { port: 81, name: 'web' },
            ],
          },
        ],
        [pod],
      ),
      [`${iface(0)}.ports[1].name: Duplicate value: "web"`],
    ],
    [
      'a name with a dot',
      net([{ name: 'a.b', masquerade: {} }], [{ name: 'a.b', pod: {} }]),
      [`spec.networks[0].name`, `${iface(0)}.name`].map(
        (field) =>
          `${field}: Invalid value: "a.b": can only contain alphabetical characters, numbers, dashes (-) or underscores (_)`,
      ),
    ],
  ]);
});
