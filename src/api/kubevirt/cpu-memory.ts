import { integer, map, object, quantity, string } from '#platform/schema/schema';
import { kubevirtObject } from './upstream.ts';

const count = (description: string) => integer(description, { format: 'int64', minimum: 1 });

export const cpu = kubevirtObject(
  'CPU',
  'Virtual CPUs of the VM: sockets x cores x threads.',
  {
    sockets: count('Sockets. Defaults to 1. Can be increased while the VM runs, up to maxSockets.'),
    cores: count('Cores in each socket. Defaults to 1.'),
    threads: count('Threads in each core. Defaults to 1.'),
    maxSockets: count('Maximum number of sockets, for CPU hotplug.'),
    model: string('CPU model that the guest sees, such as host-model, host-passthrough or Skylake-Server.'),
  },
  {
    rules: [
      {
        rule: '!has(self.maxSockets) || !has(self.sockets) || self.sockets <= self.maxSockets',
        message: 'Number of sockets in CPU topology is greater than the maximum sockets allowed',
        reason: 'FieldValueInvalid',
        fieldPath: '.sockets',
      },
    ],
  },
);

export const memory = kubevirtObject('Memory', 'Memory that the guest sees.', {
  guest: quantity(
    'Memory that the guest boots with. Defaults to resources.requests.memory. Can be increased while the VM runs, up to maxGuest.',
  ),
  maxGuest: quantity('Maximum memory, for memory hotplug.'),
  hugepages: object('Backs the memory of the guest with huge pages of the node.', {
    pageSize: string('Size of a page, such as 2Mi or 1Gi.'),
  }),
});

const amounts = (description: string) => map(description, quantity('An amount of the resource.'));

export const resources = kubevirtObject('ResourceRequirements', 'Resources that the VM requests from its node.', {
  requests: amounts(
    'Requests by resource name. By default, memory is memory.guest, and cpu is derived from the virtual CPUs.',
  ),
  limits: amounts('Limits by resource name.'),
});
