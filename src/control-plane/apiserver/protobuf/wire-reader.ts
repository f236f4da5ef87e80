import protobuf from 'protobufjs/minimal.js';
import { ParseError } from '#platform/base/errors';

const MAX_MESSAGES = 100_000;

/** Reads the bytes of one body. Every error is a ParseError in the words of the API server. */
export class WireReader {
  readonly #reader: protobuf.Reader;
  #messages = 0;

  constructor(bytes: Uint8Array) {
    this.#reader = protobuf.Reader.create(bytes);
  }

  get at(): number {
    return this.#reader.pos;
  }

  get length(): number {
    return this.#reader.len;
  }

  /** Counts a message. Two bytes suffice for one, so a body could hold too many to process. */
  beginMessage(): void {
    if (++this.#messages > MAX_MESSAGES) throw new ParseError(`proto: more than ${MAX_MESSAGES} messages`);
  }

  /** Runs a read and converts errors of protobufjs to the words of Go. */
  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      const overflow = error instanceof Error && error.message.includes('varint');
      throw new ParseError(overflow ? 'proto: integer overflow' : 'unexpected EOF', { cause: error });
    }
  }

  /** Reads the number and the wire type of the next field of a message. */
  tag(message: string): { readonly id: number; readonly wire: number } {
    const tag = this.#guard(() => this.#reader.uint32());
    const [id, wire] = [tag >>> 3, tag & 7];
    if (id === 0) throw new ParseError(`proto: ${message}: illegal tag ${id} (wire type ${wire})`);
    return { id, wire };
  }

  /** Returns the end of the next length-delimited value, which must not exceed that of its container. */
  end(within: number): number {
    const length = this.#guard(() => this.#reader.uint32());
    const end = this.#reader.pos + length;
    if (end > within) throw new ParseError('unexpected EOF');
    return end;
  }

  /** Throws if the reader is beyond the end of a message. */
  expectWithin(end: number): void {
    if (this.#reader.pos > end) throw new ParseError('unexpected EOF');
  }

  bool(): boolean {
    return this.#guard(() => this.#reader.bool());
  }

  int32(): number {
    return this.#guard(() => this.#reader.int32());
  }

  /** Reads a 64 bit integer as a number, like JSON: beyond 2^53 it is rounded. */
  int64(): number {
    return this.#guard(() => Number(this.#reader.int64()));
  }

  double(): number {
    return this.#guard(() => this.#reader.double());
  }

  string(): string {
    return this.#guard(() => this.#reader.string());
  }

  bytes(): Uint8Array {
    return this.#guard(() => this.#reader.bytes());
  }

  /** Skips an unknown field. */
  skip(wire: number): void {
    if (wire === 0) this.#guard(() => this.#reader.uint64());
    else if (wire === 1) this.#guard(() => this.#reader.skip(8));
    else if (wire === 2) this.#guard(() => this.#reader.skip(this.#reader.uint32()));
    else if (wire === 5) this.#guard(() => this.#reader.skip(4));
    else throw new ParseError(`proto: illegal wireType ${wire}`);
  }
}
