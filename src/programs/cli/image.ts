import { Command } from 'commander';
import { nonEmpty } from './non-empty.ts';

export interface ImageBuildSettings {
  readonly dataDir?: string;
}

/** Builds `vimana image`, which manages images for real VMs. */
export function imageCommand(build: (settings: ImageBuildSettings) => Promise<void>): Command {
  const image = new Command('image').description('manage images of real VMs');
  image
    .command('build')
    .description('build the demo guest vimana.local/demo-guest, a small Linux, from Debian packages')
    .option('--data-dir <directory>', 'data directory that gets the image (default: that of vimana up)', nonEmpty)
    .action((settings: ImageBuildSettings) => build(settings));
  return image;
}
