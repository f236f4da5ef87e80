import { chmod, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '#platform/base/directory';
import type { Io } from '#programs/cli/io';
import { defaultDataDir } from '#programs/instances/default-data-dir';
import { buildGuestImage } from '#vm/guest-image/build-guest-image';
import { imagesDirectory } from './open-image-store.ts';

/** Returns the file of the demo guest in a data directory. */
const guestFile = (dataDir: string) => join(imagesDirectory(dataDir), 'demo-guest.raw');

/** Builds the demo guest unless the data directory has it. */
export async function ensureGuestImage(dataDir: string): Promise<void> {
  const present = await stat(guestFile(dataDir)).catch(() => undefined);
  if (present === undefined) await storeGuestImage(dataDir);
}

/** Builds the demo guest, and says where it is. */
export async function buildImage({ dataDir = defaultDataDir('up') }: { dataDir?: string }, io: Io): Promise<void> {
  const bytes = await storeGuestImage(dataDir);
  io.out(`Built vimana.local/demo-guest (${Math.round(bytes / 2 ** 20)} MiB) in ${guestFile(dataDir)}\n`);
}

/** An image appears under its name only when it is complete. Machines that use an earlier one keep it open. */
async function storeGuestImage(dataDir: string): Promise<number> {
  const disk = await buildGuestImage();
  const file = guestFile(dataDir);
  createDirectory(imagesDirectory(dataDir));
  await rm(`${file}.tmp`, { force: true });
  // Machines have links to it, and may run under other users, so that nobody may write to it.
  await writeFile(`${file}.tmp`, disk, { mode: 0o444 });
  await chmod(`${file}.tmp`, 0o444);
  await rename(`${file}.tmp`, file);
  return disk.length;
}
