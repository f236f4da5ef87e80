import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { ImageCache } from '#vm/image-store/cache/image-cache';
import { ImageStore, type ImageStoreDeps } from '#vm/image-store/image-store';
import { DEFAULT_CATALOG } from '#vm/image-store/marketplace/catalog';
import { checkedFetch } from '#vm/images/checked-fetch';
import { webOf } from '#vm/images/web';

const MIB = 2 ** 20;

/** Opens a store in a directory that may fetch from the loopback interface. */
export function testStore(root: string, changes: Partial<ImageStoreDeps> = {}) {
  const cache = new ImageCache(root);
  const store = new ImageStore({
    clock: realClock,
    log: noopLogger,
    cache,
    web: webOf(checkedFetch(['127.0.0.1'])),
    limits: { virtualBytes: 1024 * MIB, fileBytes: 64 * MIB },
    mirrors: [],
    catalog: DEFAULT_CATALOG,
    availableBytes: async () => 2 ** 40,
    localImages: root,
    ...changes,
  });
  return { store, cache };
}

export const newDirectory = () => mkdtempSync(join(tmpdir(), 'vimana-images-'));

/** Runs qemu-img, and returns what it prints. */
export function qemuImg(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('qemu-img', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Contents of a small disk: a boot record, some text in the middle, and an end. */
export function diskContents(text: string, bytes = 3 * MIB): Buffer {
  const disk = Buffer.alloc(bytes);
  disk.set([0x55, 0xaa], 510);
  disk.write(text, bytes / 2);
  disk.write('end', bytes - 512);
  return disk;
}

/** Reads the whole disk in an image, through qemu-img. */
export function readDisk(image: string, format: string, directory: string): Buffer {
  const raw = join(directory, 'read.raw');
  qemuImg('convert', '-f', format, '-O', 'raw', image, raw);
  return readFileSync(raw);
}
