import { list, object, requiredField, string } from '#platform/schema/schema';

export const smallDisks = list(
  'Disks whose claims request less than the spec: the spec may be set back to that size.',
  object('A disk.', {
    name: requiredField(string('Name of the disk.')),
    size: requiredField(string('Size that its claim requests.')),
  }),
  { keys: ['name'] },
);
