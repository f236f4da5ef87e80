import type { OutputOf } from '#platform/schema/schema';
import { choice, list, object, requiredField, string } from '#platform/schema/schema';

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
