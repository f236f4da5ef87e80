import { list, object, requiredField, string } from '#platform/schema/schema';

/** Status of VMs whose group has no field for it. Their next run gets the same addresses from it. */
export const retainedInterfaces = list(
  'Addresses that the VM keeps across restarts and migrations.',
  object('The addresses of a network interface.', {
    name: requiredField(string('Name of the interface.')),
    mac: string('MAC address.'),
    ipAddress: string('Address on the pod network.'),
  }),
  { keys: ['name'] },
);
