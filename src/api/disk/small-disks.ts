import { list, object, required, string } from '#platform/schema/schema';

export const smallDisks = list(
  'Disks whose claims ask for less than spec does: spec may go back to that size.',
  object('A disk.', {
    name: required(string('Name of the disk.')),
    size: required(string('What its claim asks for.')),
  }),
  { keys: ['name'] },
);
