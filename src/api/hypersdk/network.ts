import type { OutputOf } from '#platform/schema/schema';
import { choice, integer, list, object, requiredField, string } from '#platform/schema/schema';

const port = object('One port that the guest listens on.', {
  name: string(
    'Name of the port in the Service: lower-case letters, digits and -. Defaults to protocol and number, such as tcp-22.',
    {
      minLength: 1,
      maxLength: 15,
    },
  ),
  port: requiredField(integer('Number of the port.', { format: 'int32', minimum: 1, maximum: 65_535 })),
  protocol: choice('Protocol of the port.', ['TCP', 'UDP', 'SCTP'], { default: 'TCP' }),
});
export type Port = OutputOf<typeof port>;

const network = object(
  'One network interface of the VM.',
  {
    name: requiredField(string('Name of the interface, unique in the VM.', { minLength: 1, maxLength: 63 })),
    type: choice(
      'Network of the interface: the pod network, a Multus network, or a bridge of the node, through the NetworkAttachmentDefinition with the name of the interface.',
      ['pod-network', 'multus', 'bridge'],
      { default: 'pod-network' },
    ),
    multusNetworkName: string(
      'NetworkAttachmentDefinition for type multus, as name or namespace/name (default: the namespace of the VM).',
      { minLength: 1, maxLength: 317 },
    ),
    macAddress: string('MAC address such as 02:00:00:12:34:56. If not set, one is generated and retained.', {
      maxLength: 17,
    }),
    ports: list(
      'Ports of the Service that has the name of the VM. Only an interface on the pod network is reached through it.',
      port,
      { maxItems: 64 },
    ),
  },
  {
    rules: [
      {
        rule: "!has(self.type) || self.type != 'multus' || has(self.multusNetworkName)",
        message: 'multusNetworkName is required for a network of type multus',
        reason: 'FieldValueRequired',
        fieldPath: '.multusNetworkName',
      },
    ],
  },
);
export type Network = OutputOf<typeof network>;

export const networks = list('Network interfaces. Defaults to one on the pod network.', network, {
  keys: ['name'],
  maxItems: 32,
});
