import { list, object, required, string } from '#platform/schema/schema';

export const smallDisks = list(
  'Disks whose claims request less than the spec: the spec may be set back to that size.',
  object('A disk.', {
    name: required(string('Name of the disk.')),
    size: required(string('Size that its claim requests.')),
  }),
  { keys: ['name'] },
);
