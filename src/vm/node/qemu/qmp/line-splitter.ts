const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines. A longer line than the limit throws, so that a peer cannot fill the memory. */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds bytes, and returns the lines that they complete. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      lines.push(Buffer.concat(this.#parts).toString('utf8').trimEnd());
      this.#parts = [];
      this.#length = 0;
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#limit) throw new RangeError(`a line is longer than ${this.#limit} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}
