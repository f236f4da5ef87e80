import type { OutputOf } from '#platform/schema/schema';
import { choice, object, requiredField, string } from '#platform/schema/schema';

export const imageSource = string(
  'Address of the image: http://, https:// or s3:// URL, docker://image, or the name of a container image that contains a disk.',
  { minLength: 1, maxLength: 2048 },
);

export const checksum = object(
  'Expected digest of the image; an image with another digest is rejected. If not set, the image is not verified. Images are verified only if --verify-images is set, and only at http:// and https:// addresses; the condition DiskReady reports whether this was done.',
  {
    type: choice('Digest algorithm.', ['md5', 'sha256', 'sha512']),
    value: string('Hexadecimal digest: 32 digits for md5, 64 for sha256, 128 for sha512.', { maxLength: 128 }),
  },
  {
    rules: [
      {
        rule: 'has(self.type) == has(self.value)',
        message: 'type and value of a checksum must be set together',
        reason: 'FieldValueRequired',
      },
    ],
  },
);
export type Checksum = OutputOf<typeof checksum>;

const templateRef = object(
  'VMTemplate that provides the image and every setting that is not set here. Later changes of the template apply at the next start of the VM; until then, a running VM keeps its settings and has the condition RestartRequired.',
  {
    name: requiredField(string('Name of the VMTemplate.', { minLength: 1, maxLength: 253 })),
    namespace: string(
      'Namespace of the VMTemplate. Defaults to that of the VM. A template in another namespace must allow it: its annotation vimana.io/machines-from must list this namespace (comma-separated) or be *.',
      { maxLength: 63 },
    ),
  },
);

export const image = object(
  'Source of the first disk: an image, or a template that has one.',
  { source: imageSource, templateRef, checksum },
  {
    rules: [
      {
        rule: '!(has(self.source) && has(self.templateRef))',
        message: 'at most one of source and templateRef: a template has its own image',
      },
    ],
  },
);
