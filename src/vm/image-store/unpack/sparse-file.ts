import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

const BLOCK = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK);

/** File that was written from a stream. */
export interface WrittenFile {
  readonly sha256: string;
  readonly bytes: number;
}

/** Writes a stream to a file, without blocks of zeros, so that a disk that is mostly empty takes little room. */
export async function writeSparse(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<WrittenFile> {
  await using file = await open(path, 'w', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    hash.update(chunk);
    await writeBlocks(file, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), bytes);
    bytes += chunk.byteLength;
  }
  await file.truncate(bytes);
  await file.sync();
  return { sha256: hash.digest('hex'), bytes };
}

async function writeBlocks(file: FileHandle, chunk: Buffer, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; done += BLOCK) {
    const block = chunk.subarray(done, done + BLOCK);
    if (!block.equals(ZEROS.subarray(0, block.length))) await file.write(block, 0, block.length, at + done);
  }
}
