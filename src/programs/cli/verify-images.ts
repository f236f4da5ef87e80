import { Option } from 'commander';

export function verifyImagesOption(): Option {
  return new Option(
    '--verify-images',
    'fetch images of hypersdk.io that are on the web and have a checksum, and start machines only where it is right; look for those of templates',
  ).default(false);
}
