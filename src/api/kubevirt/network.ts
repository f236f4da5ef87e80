import { boolean, choice, integer, list, object, required, string } from '#platform/schema/schema';
import { bootOrder, MAX_DEVICES } from './disk.ts';
import { kubevirtObject } from './upstream.ts';

const name = (description: string) => required(string(description, { minLength: 1, maxLength: 253 }));

const port = object('A port of the guest.', {
  port: required(integer('Number of the port.', { format: 'int32', minimum: 1, maximum: 65535 })),
  name: string('Name of the port, for Services that refer to it.', { maxLength: 63 }),
  protocol: choice('Protocol of the port; TCP when left out.', ['TCP', 'UDP']),
});

const networkInterface = kubevirtObject('Interface', 'A network card of the machine.', {
  name: name('Name of the card, and of the network that it is plugged into.'),
  bridge: object(
    'Joins the guest to the network as if it were plugged in; the pod gives its address to the guest.',
    {},
  ),
  masquerade: object('Puts the guest behind the address of its pod.', {}),
  model: choice('Card that is emulated; virtio when left out.', [
    'virtio',
    'e1000',
    'e1000e',
    'igb',
    'ne2k_pci',
    'pcnet',
    'rtl8139',
  ]),
  macAddress: string('Hardware address, such as 02:00:5e:10:00:01; made up and kept when left out.', { maxLength: 17 }),
  bootOrder,
  ports: list('Ports that are let through to a guest behind masquerade; empty lets all through.', port),
  state: choice('Link of the card: up, down, or absent to unplug it; up when left out.', ['up', 'down', 'absent']),
});

export const interfaces = list(
  'Network cards; one on the pod network when left out, unless autoattachPodInterface is false.',
  networkInterface,
  { keys: ['name'], maxItems: MAX_DEVICES },
);

const network = kubevirtObject('Network', 'A network that a card of the same name is plugged into.', {
  name: name('Name of the network.'),
  pod: object("The network of the cluster's pods.", {
    vmNetworkCIDR: string('IPv4 range behind masquerade; 10.0.2.0/24 when left out.', { maxLength: 18 }),
    vmIPv6NetworkCIDR: string('IPv6 range behind masquerade; fd10:0:2::/120 when left out.', { maxLength: 43 }),
  }),
  multus: object('A further network that the cluster knows by a NetworkAttachmentDefinition or a VMNetwork.', {
    networkName: required(string('Name of the network, or namespace/name.', { minLength: 1, maxLength: 317 })),
    default: boolean("Makes this the machine's first network instead of the pod network."),
  }),
});

export const networks = list('Networks of the machine; the pod network when left out.', network, {
  keys: ['name'],
  maxItems: MAX_DEVICES,
});
