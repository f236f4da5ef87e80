/** Reads a stream of chunks by numbers of bytes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns exactly `size` bytes, or fewer at the end of the stream. */
  async read(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Passes on the next `size` bytes, or fewer at the end of the stream. */
  async *stream(size: number): AsyncGenerator<Buffer, void, undefined> {
    for (let missing = size; missing > 0; ) {
      if (this.#left.length === 0 && !(await this.#fill())) return;
      const part = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.stream(size));
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    this.#left = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  }
}
