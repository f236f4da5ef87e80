import { integer, string } from '#platform/schema/schema';

/** Size fields that VirtualMachine, resize and template share. */

export const cpus = integer('Number of virtual CPUs, 1 to 128.', { format: 'int32', minimum: 1, maximum: 128 });

export const hypersdkMemory = string('Guest memory as a whole number with a binary suffix: 512Mi, 8Gi.', {
  pattern: '^[0-9]+[KMGT]i$',
  maxLength: 24,
});
