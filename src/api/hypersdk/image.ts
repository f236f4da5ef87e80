import type { OutputOf } from '#platform/schema/schema';
import { choice, object, required, string } from '#platform/schema/schema';

export const imageSource = string(
  'Where the image lies: http://, https:// or s3:// address, docker://image, or the plain name of a container image that carries a disk.',
  { minLength: 1, maxLength: 2048 },
);

export const checksum = object(
  'Digest that the fetched image must have; an image with another digest is refused. Left out, nothing is compared. Images are fetched to compare them only where --verify-images is set, and from http:// and https:// addresses; the condition DiskReady says whether it was done.',
  {
    type: choice('Digest algorithm.', ['md5', 'sha256', 'sha512']),
    value: string('Digest in hexadecimal: 32 digits for md5, 64 for sha256, 128 for sha512.', { maxLength: 128 }),
  },
  {
    rules: [
      {
        rule: 'has(self.type) == has(self.value)',
        message: 'type and value of a checksum are given together',
        reason: 'FieldValueRequired',
      },
    ],
  },
);
export type Checksum = OutputOf<typeof checksum>;

const templateRef = object(
  'VMTemplate that gives the image and every setting left out here. What changes in it later reaches the machine with its next start; until then a machine that runs goes on as it was made, and says RestartRequired.',
  {
    name: required(string('Name of the VMTemplate.', { minLength: 1, maxLength: 253 })),
    namespace: string(
      'Namespace of the VMTemplate; the own one when left out. A template in another must allow it: its annotation vimana.io/machines-from names this namespace among others, with commas, or is *.',
      { maxLength: 63 },
    ),
  },
);

export const image = object(
  'What the first disk is made from: an image, or a template that names one.',
  { source: imageSource, templateRef, checksum },
  {
    rules: [
      {
        rule: '!(has(self.source) && has(self.templateRef))',
        message: 'at most one of source and templateRef: a template brings its own image',
      },
    ],
  },
);
