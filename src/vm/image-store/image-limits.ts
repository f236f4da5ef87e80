import { statfs } from 'node:fs/promises';
import type { DownloadTimeouts } from '#vm/images/download-timeout';
import { ImageError } from './image-error.ts';
import type { ImageLimits } from './inspect/image-info.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

export const DEFAULT_IMAGE_LIMITS: ImageLimits = { virtualBytes: 2048 * GIB, fileBytes: 64 * GIB };
export const DOWNLOAD_TIMEOUTS: DownloadTimeouts = { idleMs: 30_000, allMs: 6 * 60 * 60_000 };

/** Room that images and new machines leave on the disk for everything else. */
const RESERVE_BYTES = 256 * MIB;

/** Returns the bytes that can be written at a path before the disk is full. */
export async function availableBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Throws if a disk with so many bytes available has no room for others. */
export function assertRoom(available: number, needed: number): void {
  if (available >= needed + RESERVE_BYTES) return;
  const shown = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
  const what = `${shown(Math.max(needed, 0) + RESERVE_BYTES)} needed, ${shown(available)} available`;
  throw new ImageError('InsufficientDiskSpace', `the host has not enough disk space: ${what}`, {
    hint: 'Free disk space, or delete unused images with vimana image prune',
  });
}
