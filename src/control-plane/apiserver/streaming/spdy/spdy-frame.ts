/** Frames of SPDY/3.1 that a port-forward uses. All others are ignored. */
export type SpdyFrame =
  | { readonly type: 'syn-stream'; readonly stream: number; readonly isLast: boolean; readonly headers: Buffer }
  | { readonly type: 'data'; readonly stream: number; readonly isLast: boolean; readonly data: Buffer }
  | { readonly type: 'rst-stream'; readonly stream: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goaway' }
  | { readonly type: 'other' };

const HEADER_LENGTH = 8;
const VERSION = 3;
const CONTROL = 0x8000;
const FLAG_LAST = 1;
const TYPES = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goaway: 7 } as const;
const STREAM_MASK = 0x7fffffff;
/** kubectl sends at most 32 KiB at once. */
const MAX_FRAME = 1 << 20;
const REFUSED_STREAM = 3;

/** Splits a stream of bytes into frames. Throws a RangeError for a frame that is too long. */
export class SpdyFrameParser {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): SpdyFrame[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: SpdyFrame[] = [];
    while (bytes.length >= HEADER_LENGTH) {
      const length = bytes.readUIntBE(5, 3);
      if (length > MAX_FRAME) throw new RangeError(`a SPDY frame has ${length} bytes`);
      if (bytes.length < HEADER_LENGTH + length) break;
      frames.push(parseFrame(bytes.subarray(0, HEADER_LENGTH), bytes.subarray(HEADER_LENGTH, HEADER_LENGTH + length)));
      bytes = bytes.subarray(HEADER_LENGTH + length);
    }
    this.#rest = bytes;
    return frames;
  }
}

function parseFrame(head: Buffer, body: Buffer): SpdyFrame {
  const first = head.readUInt16BE(0);
  const isLast = ((head[4] ?? 0) & FLAG_LAST) !== 0;
  if ((first & CONTROL) === 0) return { type: 'data', stream: head.readUInt32BE(0) & STREAM_MASK, isLast, data: body };
  const type = head.readUInt16BE(2);
  if ((first & ~CONTROL) !== VERSION) throw new RangeError('a SPDY frame has another version than 3');
  if (type === TYPES.goaway) return { type: 'goaway' };
  if (type === TYPES.synStream && body.length >= 10) {
    return { type: 'syn-stream', stream: body.readUInt32BE(0) & STREAM_MASK, isLast, headers: body.subarray(10) };
  }
  if (type === TYPES.rstStream && body.length >= 8) {
    return { type: 'rst-stream', stream: body.readUInt32BE(0) & STREAM_MASK };
  }
  return type === TYPES.ping && body.length >= 4 ? { type: 'ping', id: body.readUInt32BE(0) } : { type: 'other' };
}

export function dataFrame(stream: number, data: Uint8Array, isLast = false): Buffer {
  const head = Buffer.alloc(HEADER_LENGTH);
  head.writeUInt32BE(stream, 0);
  head[4] = isLast ? FLAG_LAST : 0;
  head.writeUIntBE(data.length, 5, 3);
  return Buffer.concat([head, data]);
}

/** Accepts a stream. */
export function synReplyFrame(stream: number, headers: Uint8Array): Buffer {
  return controlFrame(TYPES.synReply, Buffer.concat([uint32(stream), headers]));
}

/** Rejects a stream. */
export function refusalFrame(stream: number): Buffer {
  return controlFrame(TYPES.rstStream, Buffer.concat([uint32(stream), uint32(REFUSED_STREAM)]));
}

export function pingFrame(id: number): Buffer {
  return controlFrame(TYPES.ping, uint32(id));
}

function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_LENGTH);
  head.writeUInt16BE(CONTROL | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
