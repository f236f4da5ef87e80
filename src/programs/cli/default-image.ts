import { InvalidArgumentError, Option } from 'commander';
import { validateImageSource } from '#vm/dialects/novacron/admission/image-source';

/** `--default-image` names what VMs of a pool boot from if the template of the pool has no image. */
export function defaultImageOption(): Option {
  return new Option('--default-image <source>', 'image of VMPools whose template has none').argParser(imageSource);
}

function imageSource(text: string): string {
  const [cause] = validateImageSource('--default-image', text);
  if (cause !== undefined) throw new InvalidArgumentError(`It ${cause.detail}.`);
  return text;
}
