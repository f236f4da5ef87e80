import { Option } from 'commander';

export function verifyImagesOption(): Option {
  return new Option(
    '--verify-images',
    'download hypersdk.io images that have a checksum, and start VMs only if it matches; check that images of templates exist',
  ).default(false);
}
