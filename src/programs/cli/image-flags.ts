import { type Command, InvalidArgumentError, Option } from 'commander';
import { imageHostsOption } from './host-names.ts';
import { nonEmpty } from './non-empty.ts';

/** Rule that fetches images from another place. */
export interface ImageMirrorFlag {
  readonly from: string;
  readonly to: string;
}

/** Flags that say where images of real VMs come from. */
export interface ImageFlags {
  /** Image servers that may be at addresses that are not public. */
  readonly imageHosts: readonly string[];
  readonly imageMirror: readonly ImageMirrorFlag[];
  readonly imageCaFile?: string;
  readonly imageCatalog?: string;
}

export function withImageFlags<C extends Command>(command: C): C {
  return command
    .addOption(imageHostsOption())
    .addOption(
      new Option(
        '--image-mirror <from=to>',
        'fetch images whose names begin with FROM from TO instead, such as quay.io=mirror.example.org/quay (can be repeated)',
      )
        .argParser(addMirror)
        .default([], 'none'),
    )
    .option('--image-ca-file <file>', 'certificates of authorities that image servers may have, in PEM', nonEmpty)
    .option('--image-catalog <file>', 'YAML file with images for marketplace:// names', nonEmpty);
}

function addMirror(text: string, before: readonly ImageMirrorFlag[]): readonly ImageMirrorFlag[] {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 0 || from === '' || to === '') throw new InvalidArgumentError('It must be FROM=TO.');
  return [...before, { from, to }];
}
