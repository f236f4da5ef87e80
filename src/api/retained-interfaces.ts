import { list, object, required, string } from '#platform/schema/schema';

/** In the status of machines whose group has no word for it: by this their next run has the same addresses. */
export const retainedInterfaces = list(
  'Addresses that the machine keeps through restart and migration.',
  object('The addresses of a network interface.', {
    name: required(string('Name of the interface.')),
    mac: string('Hardware address.'),
    ipAddress: string('Address on the network of pods.'),
  }),
  { keys: ['name'] },
);
