import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { QEMU_FILES } from '../command/qemu-command.ts';

/** Part of the serial log that the keeper sets aside when it empties the log. */
export const EARLIER_LOG = 'serial.old';

/** Returns the last bytes that a guest has printed on its serial console, at most as many as given. */
export async function readSerialLog(directory: string, maxBytes: number): Promise<Buffer> {
  const last = await readEnd(join(directory, QEMU_FILES.serialLog), maxBytes);
  if (last.length >= maxBytes) return last;
  return Buffer.concat([await readEnd(join(directory, EARLIER_LOG), maxBytes - last.length), last]);
}

/** A guest that controls its QEMU must not have other files read, or keep the reader waiting. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readEnd(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
