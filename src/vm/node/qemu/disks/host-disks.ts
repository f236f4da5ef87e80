import { lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseQuantity, value } from '#platform/base/quantity';
import { MachineStartError } from '../../machine-driver.ts';
import type { MachineDisk } from '../../machine-spec.ts';

type HostDisk = NonNullable<MachineDisk['volume']['hostDisk']>;

/**
 * Returns the path of a hostDisk, and creates it if requested. It must be in an allowed directory, since the file is
 * opened with the permissions of the node agent, which the author of a VM does not have.
 */
export async function hostDiskFile(disk: HostDisk, allowed: readonly string[]): Promise<string> {
  const directory = await realpath(dirname(disk.path)).catch(() => undefined);
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => root)));
  const isAllowed = roots.some((root) => directory === root || directory?.startsWith(`${root}/`) === true);
  // The message is the same for paths that do not exist, so that nobody can search the host for files.
  if (directory === undefined || !isAllowed) throw notAllowed(disk.path, allowed);
  const file = join(directory, basename(disk.path));
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() === true) return file;
  if (found !== undefined) throw new MachineStartError(`hostDisk ${disk.path} is not a regular file`);
  if (disk.type !== 'DiskOrCreate') throw new MachineStartError(`hostDisk ${disk.path} not found`);
  await using created = await open(file, 'wx', 0o600);
  await created.truncate(value(parseQuantity(disk.capacity ?? '1Gi')));
  return file;
}

function notAllowed(path: string, allowed: readonly string[]): MachineStartError {
  const where = allowed.length === 0 ? '' : `: ${allowed.join(', ')}`;
  return new MachineStartError(`hostDisk ${path} is not in a directory that --host-disk-dirs allows${where}`, {
    reason: 'NotAllowed',
    hint: 'Use a claim, or allow the directory',
  });
}
