import { list, object, required, string } from '#platform/schema/schema';

/** Status of VMs whose group has no field for it. Their next run gets the same addresses from it. */
export const retainedInterfaces = list(
  'Addresses that the machine keeps through restart and migration.',
  object('The addresses of a network interface.', {
    name: required(string('Name of the interface.')),
    mac: string('Hardware address.'),
    ipAddress: string('Address on the network of pods.'),
  }),
  { keys: ['name'] },
);
