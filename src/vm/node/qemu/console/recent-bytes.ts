/** Holds the last bytes of a stream, up to a limit. */
export class RecentBytes {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const kept = chunk.length > this.#limit ? chunk.subarray(chunk.length - this.#limit) : chunk;
    // A copy, because a small part would keep the whole chunk that it was received in.
    this.#chunks.push(Buffer.from(kept));
    this.#length += kept.length;
    while (this.#length - (this.#chunks[0]?.length ?? 0) >= this.#limit) {
      this.#length -= this.#chunks.shift()?.length ?? 0;
    }
    if (this.#chunks.length > MAX_CHUNKS) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - this.#limit));
  }
}

/** A guest that prints single characters would otherwise cost more for the chunks than for their content. */
const MAX_CHUNKS = 512;
