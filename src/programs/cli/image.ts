import { Command, Option } from 'commander';
import { type ImageFlags, withImageFlags } from './image-flags.ts';
import { nonEmpty } from './non-empty.ts';

export interface ImageBuildSettings {
  readonly dataDir?: string;
}

export interface ImageListSettings {
  readonly dataDir?: string;
  readonly output: 'table' | 'json';
}

export interface ImagePullSettings extends ImageFlags {
  readonly dataDir?: string;
  readonly image: string;
  readonly checksum?: string;
  readonly path?: string;
  /** File with the credentials of registries, as Docker writes it. */
  readonly dockerConfig?: string;
}

export interface ImagePruneSettings {
  readonly dataDir?: string;
}

/** Runs the commands. */
export interface ImageStarters {
  readonly build: (settings: ImageBuildSettings) => Promise<void>;
  readonly list: (settings: ImageListSettings) => Promise<void>;
  readonly pull: (settings: ImagePullSettings) => Promise<void>;
  readonly prune: (settings: ImagePruneSettings) => Promise<void>;
}

const DATA_DIR = ['--data-dir <directory>', 'data directory with the images (default: that of vimana up)'] as const;

/** Builds `vimana image`, which manages images for real VMs. */
export function imageCommand({ build, list, pull, prune }: ImageStarters): Command {
  const image = new Command('image').description('manage images of real VMs');
  image
    .command('build')
    .description('build the demo guest vimana.local/demo-guest, a small Linux, from Debian packages')
    .option('--data-dir <directory>', 'data directory that gets the image (default: that of vimana up)', nonEmpty)
    .action((settings: ImageBuildSettings) => build(settings));
  image
    .command('list')
    .description('list the images of a data directory')
    .option(...DATA_DIR, nonEmpty)
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']).default('table'))
    .action((settings: ImageListSettings) => list(settings));
  withImageFlags(
    image
      .command('pull <image>')
      .description('fetch, verify and convert an image, so that VMs start from it without a download')
      .option(...DATA_DIR, nonEmpty)
      .option('--checksum <digest>', 'expected digest, such as sha256:...', nonEmpty)
      .option('--path <path>', 'path of the disk in a container image (default: the only file in /disk)', nonEmpty)
      .option('--docker-config <file>', 'file with the credentials of registries, as docker login writes it', nonEmpty),
  ).action((name: string, settings: Omit<ImagePullSettings, 'image'>) => pull({ ...settings, image: name }));
  image
    .command('prune')
    .description('delete the images that no machine uses')
    .option(...DATA_DIR, nonEmpty)
    .action((settings: ImagePruneSettings) => prune(settings));
  return image;
}
