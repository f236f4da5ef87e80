import { boolean, choice, integer, list, object, requiredField, string } from '#platform/schema/schema';
import { bootOrder, MAX_DEVICES } from './disk.ts';
import { kubevirtObject } from './upstream.ts';

const name = (description: string) => requiredField(string(description, { minLength: 1, maxLength: 253 }));

const port = object('A port of the guest.', {
  port: requiredField(integer('Number of the port.', { format: 'int32', minimum: 1, maximum: 65535 })),
  name: string('Name of the port, for Services that refer to it.', { maxLength: 63 }),
  protocol: choice('Protocol of the port. Defaults to TCP.', ['TCP', 'UDP']),
});

const networkInterface = kubevirtObject('Interface', 'A network interface of the VM.', {
  name: name('Name of the interface and of its network.'),
  bridge: object('Connects the guest to the network through a bridge; the guest takes the address of the pod.', {}),
  masquerade: object('Connects the guest through NAT behind the address of its pod.', {}),
  model: choice('Emulated interface model. Defaults to virtio.', [
    'virtio',
    'e1000',
    'e1000e',
    'igb',
    'ne2k_pci',
    'pcnet',
    'rtl8139',
  ]),
  macAddress: string('MAC address, such as 02:00:5e:10:00:01. If not set, one is generated and retained.', {
    maxLength: 17,
  }),
  bootOrder,
  ports: list('Ports that are forwarded to a guest behind masquerade; empty forwards all.', port),
  state: choice('Link state of the interface: up, down, or absent to unplug it. Defaults to up.', [
    'up',
    'down',
    'absent',
  ]),
});

export const interfaces = list(
  'Network interfaces. Defaults to one on the pod network, unless autoattachPodInterface is false.',
  networkInterface,
  { keys: ['name'], maxItems: MAX_DEVICES },
);

const network = kubevirtObject('Network', 'A network for the interface of the same name.', {
  name: name('Name of the network.'),
  pod: object("The network of the cluster's pods.", {
    vmNetworkCIDR: string('IPv4 range behind masquerade. Defaults to 10.0.2.0/24.', { maxLength: 18 }),
    vmIPv6NetworkCIDR: string('IPv6 range behind masquerade. Defaults to fd10:0:2::/120.', { maxLength: 43 }),
  }),
  multus: object('An additional network, defined by a NetworkAttachmentDefinition or a VMNetwork.', {
    networkName: requiredField(string('Name of the network, or namespace/name.', { minLength: 1, maxLength: 317 })),
    default: boolean('Makes this the default network instead of the pod network.'),
  }),
});

export const networks = list('Networks of the VM. Defaults to the pod network.', network, {
  keys: ['name'],
  maxItems: MAX_DEVICES,
});
