import type { OutputOf } from '#platform/schema/schema';
import { choice, list, object, required, string } from '#platform/schema/schema';

const network = object(
  'One network interface of the machine.',
  {
    name: required(string('Name of the interface, unique in the machine.', { minLength: 1, maxLength: 63 })),
    type: choice(
      "What the interface is plugged into: the cluster's pod network, a Multus network, or a bridge of the node, by the NetworkAttachmentDefinition of the interface's name.",
      ['pod-network', 'multus', 'bridge'],
      { default: 'pod-network' },
    ),
    multusNetworkName: string(
      'NetworkAttachmentDefinition for type multus, as name or namespace/name (own namespace when not given).',
      { minLength: 1, maxLength: 317 },
    ),
    macAddress: string('Hardware address such as 02:00:00:12:34:56; left out, one is generated and kept.', {
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

export const networks = list('Network interfaces. Left out, the machine has one on the pod network.', network, {
  keys: ['name'],
  maxItems: 32,
});
