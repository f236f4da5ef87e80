import { integer, map, object, quantity, string } from '#platform/schema/schema';
import { kubevirtObject } from './upstream.ts';

const count = (description: string) => integer(description, { format: 'int64', minimum: 1 });

export const cpu = kubevirtObject(
  'CPU',
  'Virtual CPUs of the machine: sockets x cores x threads.',
  {
    sockets: count('Sockets; 1 when left out. May be raised while the machine runs, up to maxSockets.'),
    cores: count('Cores in each socket; 1 when left out.'),
    threads: count('Threads in each core; 1 when left out.'),
    maxSockets: count('The most sockets that may be plugged in while the machine runs.'),
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
    'Memory that the guest boots with; resources.requests.memory when left out. May be raised while the machine runs, up to maxGuest.',
  ),
  maxGuest: quantity('The most memory that may be plugged in while the machine runs.'),
  hugepages: object('Backs the memory of the guest with huge pages of the node.', {
    pageSize: string('Size of a page, such as 2Mi or 1Gi.'),
  }),
});

const amounts = (description: string) => map(description, quantity('An amount of the resource.'));

export const resources = kubevirtObject('ResourceRequirements', 'What the machine takes from its node.', {
  requests: amounts(
    'What is set aside on the node, by resource name. Memory is memory.guest, and cpu is worked out from the virtual CPUs, when left out.',
  ),
  limits: amounts('What the machine may never exceed, by resource name.'),
});
