import { open } from 'node:fs/promises';

export interface BackingFile {
  readonly file: string;
  readonly format: 'raw' | 'qcow2';
}

const MAGIC = 0x514649fb;
const BACKING_FORMAT = 0xe2792aca;
const HEADER_BYTES = 4096;

/** Returns the image below an overlay that Vimana wrote, by the header of the overlay. */
export async function readBackingFile(overlay: string): Promise<BackingFile | undefined> {
  await using handle = await open(overlay, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  return backingFileOf(buffer.subarray(0, bytesRead));
}

/** Parses the header of a qcow2 image. Returns undefined for one without backing file, or of another format. */
export function backingFileOf(header: Buffer): BackingFile | undefined {
  if (header.length < 104 || header.readUInt32BE(0) !== MAGIC) return undefined;
  const [offset, length] = [Number(header.readBigUInt64BE(8)), header.readUInt32BE(16)];
  if (offset === 0 || offset + length > header.length) return undefined;
  const format = backingFormat(header);
  return { file: header.toString('utf8', offset, offset + length), format: format === 'qcow2' ? 'qcow2' : 'raw' };
}

/** Header extensions follow the header, each with its type and length, padded to 8 bytes. */
function backingFormat(header: Buffer): string | undefined {
  let at = header.readUInt32BE(4) >= 3 ? header.readUInt32BE(100) : 72;
  while (at + 8 <= header.length) {
    const [type, length] = [header.readUInt32BE(at), header.readUInt32BE(at + 4)];
    if (type === BACKING_FORMAT) return header.toString('utf8', at + 8, at + 8 + length);
    if (type === 0) return undefined;
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return undefined;
}
