import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Host in image names that stands for images on this host, which are built here and never downloaded. */
const LOCAL = 'vimana.local/';
const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;

/** Images of this host by name. */
export class LocalImages {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the file of an image, or undefined if the name is not that of a local image. */
  pathOf(image: string): string | undefined {
    if (!image.startsWith(LOCAL)) return undefined;
    const name = image.slice(LOCAL.length).replace(/:latest$/, '');
    return NAME.test(name) ? join(this.#directory, `${name}.raw`) : undefined;
  }

  async has(image: string): Promise<boolean> {
    const path = this.pathOf(image);
    return path !== undefined && (await stat(path).catch(() => undefined)) !== undefined;
  }
}
