import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { QEMU_FILES, SOCKETS_DIRECTORY } from '../command/qemu-command.ts';
import type { PreparedDisk } from '../command/qemu-host.ts';
import { readBackingFile } from './backing-file.ts';
import { OUTBOUND_DNS } from './blocked-ranges.ts';
import { type BoundFile, RESOLVER_FILE } from './isolated-launch.ts';

/** Disks as a machine sees them, and the files that must be made visible to it. */
export interface HandedOver {
  readonly disks: readonly PreparedDisk[];
  readonly bound: readonly BoundFile[];
}

/**
 * Creates what QEMU opens beside its disks. If the machine has a user of its own, it gets those files and its disks, and
 * nothing else in the directory, which stays with the node agent: what the node agent writes there, QEMU cannot replace.
 */
export async function handOver(
  directory: string,
  disks: readonly PreparedDisk[],
  uid: number | undefined,
): Promise<HandedOver> {
  const at = (name: string) => join(directory, name);
  await mkdir(at(SOCKETS_DIRECTORY), { mode: 0o700 });
  const written = [QEMU_FILES.serialLog, QEMU_FILES.screendump];
  await Promise.all(written.map((name) => writeFile(at(name), '', { mode: 0o600 })));
  await writeFile(at(RESOLVER_FILE), `nameserver ${OUTBOUND_DNS}\n`, { mode: 0o644 });
  if (uid === undefined) return { disks, bound: [] };
  // Others may pass through the directory, but those above it are closed to them.
  await chmod(directory, 0o711);
  const own = disks.flatMap(({ file }) => (isAbsolute(file) ? [] : [file]));
  await Promise.all([SOCKETS_DIRECTORY, ...written, ...own].map((name) => chown(at(name), uid, uid)));
  return await bindForeignFiles(directory, disks, uid);
}

/**
 * Replaces paths outside the directory, which the user of the machine cannot reach, by names inside. Disks that it
 * writes to become its own. Images that machines share become readable, in a directory that is closed to others.
 */
async function bindForeignFiles(directory: string, disks: readonly PreparedDisk[], uid: number): Promise<HandedOver> {
  const bound: BoundFile[] = [];
  const bind = async (file: string, readonly: boolean) => {
    if (readonly) await chmod(file, (await stat(file)).mode | 0o004);
    else await chown(file, uid, uid);
    const name = `image${bound.length}`;
    bound.push({ file, name });
    await writeFile(join(directory, name), '', { mode: 0o644 });
    return name;
  };
  const seen: PreparedDisk[] = [];
  for (const disk of disks) {
    const base = disk.format === 'qcow2' ? await readBackingFile(resolve(directory, disk.file)) : undefined;
    const file = isAbsolute(disk.file) ? await bind(disk.file, disk.readonly) : disk.file;
    // An image that is linked into the directory is readable there.
    const baseFile = base !== undefined && isAbsolute(base.file) ? await bind(base.file, true) : base?.file;
    seen.push({ ...disk, file, ...(base === undefined ? {} : { base: { ...base, file: baseFile ?? base.file } }) });
  }
  return { disks: seen, bound };
}
