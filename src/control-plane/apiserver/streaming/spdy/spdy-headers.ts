import { once } from 'node:events';
import { constants, createDeflate, createInflate, type Zlib } from 'node:zlib';
import { SPDY_DICTIONARY } from './spdy-dictionary.ts';

/** More than the headers of all streams of a port-forward need, so that they cannot be a decompression bomb. */
const MAX_BLOCK = 64 * 1024;

const OPTIONS = { dictionary: SPDY_DICTIONARY, flush: constants.Z_SYNC_FLUSH };

/** Decompresses the headers of a session, which are one compressed stream over all frames. */
export class SpdyHeaderReader {
  readonly #inflate = createInflate(OPTIONS);
  #output: Buffer[] = [];
  #length = 0;

  constructor() {
    this.#inflate.on('data', (chunk: Buffer) => {
      this.#length += chunk.length;
      if (this.#length > MAX_BLOCK) this.#inflate.destroy(new RangeError('the headers of a SPDY stream are too long'));
      else this.#output.push(chunk);
    });
    this.#inflate.on('error', () => undefined);
  }

  /** Returns the headers of one frame by their names in lower case. */
  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    this.#output = [];
    this.#length = 0;
    await write(this.#inflate, block);
    return parseHeaders(Buffer.concat(this.#output));
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** Compresses headers without names and values, the only ones that are sent. */
export class SpdyHeaderWriter {
  readonly #deflate = createDeflate(OPTIONS);
  #output: Buffer[] = [];

  constructor() {
    this.#deflate.on('data', (chunk: Buffer) => this.#output.push(chunk)).on('error', () => undefined);
  }

  async writeEmpty(): Promise<Buffer> {
    this.#output = [];
    await write(this.#deflate, Buffer.alloc(4));
    return Buffer.concat(this.#output);
  }

  close(): void {
    this.#deflate.destroy();
  }
}

async function write(stream: ReturnType<typeof createInflate> & Zlib, block: Buffer): Promise<void> {
  const failed = once(stream, 'error').then(([error]: unknown[]) => {
    throw error;
  });
  failed.catch(() => undefined);
  const written = new Promise<void>((resolve) => stream.write(block, () => stream.flush(() => resolve())));
  await Promise.race([written, failed]);
}

function parseHeaders(block: Buffer): ReadonlyMap<string, string> {
  let at = 0;
  const next = () => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    if (at > block.length) throw new RangeError('the headers of a SPDY stream are cut off');
    return block.toString('utf8', at - length, at);
  };
  const count = block.readUInt32BE(0);
  at = 4;
  const headers = new Map<string, string>();
  for (let i = 0; i < count; i++) {
    const name = next().toLowerCase();
    headers.set(name, next());
  }
  return headers;
}
