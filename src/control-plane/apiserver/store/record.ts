import { crc32 } from 'node:zlib';
import { StoreError } from './store-error.ts';
import { Version } from './version.ts';

/**
 * A record is a version as bytes, stored under its revision: kind (1 byte: 1 put, 2 delete), length of the key in bytes
 * (4), createRevision (8, a double), key, value (UTF-8), and a CRC-32 of all that (4). The checksum begins with the
 * revision, so that a record under another revision counts as damaged.
 */
const HEADER = 13;
const CHECKSUM = 4;
const PUT = 1;
const DELETE = 2;
/** Size of the largest buffer that is retained for further groups. */
const MAX_RETAINED_BYTES = 1024 * 1024;

/** Encodes groups of versions, each into slices of one buffer that the next group overwrites. */
export class RecordEncoder {
  #buffer = Buffer.alloc(0);

  encode(versions: readonly Version[]): Buffer[] {
    const sizes = versions.map(({ key, value }) => ({
      key: Buffer.byteLength(key),
      value: Buffer.byteLength(value ?? ''),
    }));
    const buffer = this.#room(sizes.reduce((sum, size) => sum + HEADER + size.key + size.value + CHECKSUM, 0));
    let start = 0;
    return versions.map(({ key, value, revision, createRevision }, i) => {
      const size = sizes[i]!;
      const end = start + HEADER + size.key + size.value;
      buffer.writeUInt8(value === undefined ? DELETE : PUT, start);
      buffer.writeUInt32LE(size.key, start + 1);
      buffer.writeDoubleLE(createRevision, start + 5);
      write(buffer, key, start + HEADER, size.key);
      if (value !== undefined) write(buffer, value, start + HEADER + size.key, size.value);
      buffer.writeUInt32LE(checksum(buffer.subarray(start, end), revision), end);
      const record = buffer.subarray(start, end + CHECKSUM);
      start = end + CHECKSUM;
      return record;
    });
  }

  /** Returns a buffer. Allocating costs more than filling it, so only an unusually large group gets its own. */
  #room(size: number): Buffer {
    if (size > MAX_RETAINED_BYTES) return Buffer.allocUnsafeSlow(size);
    if (size > this.#buffer.length)
      this.#buffer = Buffer.allocUnsafeSlow(Math.min(MAX_RETAINED_BYTES, 2 ** Math.ceil(Math.log2(size))));
    return this.#buffer;
  }
}

/**
 * Writes text. If it has as many bytes as characters it is ASCII, for which latin1 gives the same bytes by a plain
 * copy.
 */
function write(buffer: Buffer, text: string, at: number, bytes: number): void {
  buffer.write(text, at, bytes === text.length ? 'latin1' : 'utf8');
}

function checksum(content: Buffer, revision: number): number {
  return crc32(content, revision % 2 ** 32);
}

/** Decodes a record. Throws `Corrupt` if it is not what was written, naming its key as far as that can be read. */
export function decodeRecord(revision: number, record: Buffer): Version {
  const end = record.length - CHECKSUM;
  if (end < HEADER || record.readUInt32LE(end) !== checksum(record.subarray(0, end), revision)) {
    throw damagedError(revision, record);
  }
  return decodeContent(revision, record.subarray(0, end));
}

/** Decodes a record without its checksum, as stores of version 1 hold it. */
export function decodeContent(revision: number, record: Buffer): Version {
  const kind = record.length < HEADER ? 0 : record.readUInt8(0);
  const keyEnd = kind === 0 ? 0 : HEADER + record.readUInt32LE(1);
  if ((kind !== PUT && kind !== DELETE) || keyEnd > record.length) throw damagedError(revision, record);
  const key = record.toString('utf8', HEADER, keyEnd);
  const value = kind === PUT ? record.toString('utf8', keyEnd) : undefined;
  return new Version(key, value, revision, record.readDoubleLE(5));
}

function damagedError(revision: number, record: Buffer): StoreError {
  const keyEnd = record.length < HEADER ? 0 : HEADER + record.readUInt32LE(1);
  const key = keyEnd > record.length ? '' : record.toString('utf8', HEADER, keyEnd);
  const isReadable = key !== '' && !/[\p{Cc}\ufffd]/u.test(key);
  const whose = isReadable ? `of ${JSON.stringify(key)}` : 'of an object whose key is also damaged';
  return new StoreError(
    'Corrupt',
    `the record ${whose} (revision ${revision}) is damaged: its checksum does not match`,
  );
}
