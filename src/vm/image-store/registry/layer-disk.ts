import { ImageError, rejectedImage } from '../image-error.ts';
import { readTar, type TarEntry } from '../unpack/read-tar.ts';

/** Directory of the disk in a container image. */
const DISK_DIRECTORY = 'disk';
const WHITEOUT = '.wh.';

/** Which file of a container image is the disk: that at a path, or the only one in /disk. */
export interface DiskChoice {
  readonly path?: string;
}

/** Meaning of a layer for the search of the disk, from the topmost layer down. */
export type LayerResult = 'found' | 'hidden' | 'absent';

/**
 * Looks for the disk in a layer, and passes its contents to `write`. A layer may also hide what those below contain.
 */
export async function findDisk(
  layer: AsyncIterable<Uint8Array>,
  { path }: DiskChoice,
  write: (contents: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<LayerResult> {
  const desired = path === undefined ? undefined : normalizePath(path);
  let result: LayerResult = 'absent';
  let found: string | undefined;
  for await (const entry of readTar(layer)) {
    if (hides(entry, desired)) result = result === 'absent' ? 'hidden' : result;
    if (!isDisk(entry, desired)) continue;
    if (entry.type === 'link') throw rejectedImage(`${entry.path} is a link`);
    if (entry.type !== 'file') continue;
    if (found !== undefined && found !== entry.path) {
      throw new ImageError('ErrImagePull', 'the container image has several files in /disk', {
        hint: 'Name one in containerDisk.path',
      });
    }
    found = entry.path;
    await write(entry.contents);
    result = 'found';
  }
  return result;
}

function isDisk({ path }: TarEntry, desired: string | undefined): boolean {
  if (desired !== undefined) return path === desired;
  const [directory, name = '', ...deeper] = path.split('/');
  return directory === DISK_DIRECTORY && name !== '' && deeper.length === 0 && !name.startsWith(WHITEOUT);
}

/** Reports whether an entry deletes the disk, or the directory that it is in, from the layers below. */
function hides({ path }: TarEntry, desired: string | undefined): boolean {
  const at = path.lastIndexOf('/');
  const [directory, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
  if (!name.startsWith(WHITEOUT)) return false;
  const target = desired ?? `${DISK_DIRECTORY}/`;
  if (name === '.wh..wh..opq') return target.startsWith(`${directory}/`);
  const deleted = [directory, name.slice(WHITEOUT.length)].filter((part) => part !== '').join('/');
  return desired === undefined ? deleted === DISK_DIRECTORY : desired === deleted || desired.startsWith(`${deleted}/`);
}

function normalizePath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
