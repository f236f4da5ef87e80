import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { rejectedImage } from '../image-error.ts';
import { type Compression, compressionOf } from '../inspect/image-format.ts';
import { programFiles, startSandboxed } from '../sandbox/run-sandboxed.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** Memory that xz may use. Files of its highest preset need 65 MiB. */
const XZ_MEMORY = 512 * MIB;

/** Returns how a file is compressed, by its first bytes. */
export async function compressionOfFile(path: string): Promise<Compression | undefined> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0);
  return compressionOf(buffer);
}

/** Reads a file, and decompresses it if it is compressed, up to a limit: a small file may unpack to an endless one. */
export async function* readDecompressed(
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let left = maxBytes;
  for await (const chunk of decompressChunks(path, signal)) {
    left -= chunk.length;
    if (left < 0) throw rejectedImage(`it unpacks to more than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function* decompressChunks(path: string, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  const compression = await compressionOfFile(path);
  if (compression === 'xz') return yield* readXz(path, signal);
  const input = createReadStream(path);
  try {
    yield* (compression === undefined ? input : inflate(input, compression)) as AsyncIterable<Buffer>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z') !== true) throw error;
    throw rejectedImage(`its ${compression} compression is broken`);
  } finally {
    input.destroy();
  }
}

function inflate(input: Readable, compression: 'gzip' | 'zstd'): Readable {
  // Failures are thrown where the stream is read.
  return pipeline(input, compression === 'gzip' ? createGunzip() : createZstdDecompress(), () => undefined);
}

/** Node.js cannot read xz, so that the program does it, in a sandbox. */
async function* readXz(path: string, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  const stop = new AbortController();
  const { stdout, ended } = startSandboxed(
    {
      program: await programFiles('xz'),
      args: ['--decompress', '--stdout', '--format=xz', `--memlimit-decompress=${XZ_MEMORY}`, '/image'],
      readable: { '/image': path },
      limits: { cpuSeconds: 30 * 60, memoryBytes: GIB, fileBytes: 0 },
    },
    AbortSignal.any([signal, stop.signal]),
  );
  try {
    yield* stdout as AsyncIterable<Buffer>;
    const { status } = await ended;
    signal.throwIfAborted();
    if (status !== 0) throw rejectedImage('its xz compression is broken');
  } finally {
    stop.abort();
    await ended;
  }
}
