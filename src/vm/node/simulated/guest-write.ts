import { type DiskContents, type DiskFile, withFile } from '#api/disk/contents';
import { toHex } from '#platform/base/bytes';
import { parseQuantity, value } from '#platform/base/quantity';
import { sha256 } from '#platform/base/sha256';
import { utf8Length } from '#platform/base/utf8';

/**
 * Annotation of a VirtualMachineInstance or its launcher pod that lets the simulated guest write to its disks while its
 * machine runs. Each value is applied once; to repeat a write, change the value, for example by an `id`.
 * - `/etc/motd=hello`: the file gets this text, on the first writable disk.
 * - `{"path": "/var/db", "bytes": "2Gi", "disk": "data", "id": "7"}`: the file gets this many unique bytes.
 * - `{"path": "/etc/motd", "delete": true}`, or a list of such objects, which are applied together for each disk.
 */
export const GUEST_WRITE_ANNOTATION = 'vimana.io/guest-write';

export interface GuestWrite {
  /** Defaults to the first writable disk. */
  readonly disk?: string;
  readonly path: string;
  /** Undefined deletes the file. */
  readonly file: DiskFile | undefined;
}

export interface GuestWrites {
  /** ID of the whole request, by which applied requests are recognized. */
  readonly id: string;
  readonly writes: readonly GuestWrite[];
}

const MAX_TEXT_LENGTH = 4096;

/** Parses a request. Throws a RangeError that describes what is invalid. */
export function readGuestWrites(text: string): GuestWrites {
  const id = fingerprint(text).slice(0, 16);
  if (!/^\s*[[{]/.test(text)) {
    const end = text.indexOf('=');
    if (end < 0) throw new RangeError('it is neither path=text nor JSON');
    return { id, writes: [writeOf({ path: text.slice(0, end), text: text.slice(end + 1) }, id)] };
  }
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new RangeError('it is not valid JSON');
  }
  return { id, writes: (Array.isArray(read) ? read : [read]).map((each) => writeOf(each, id)) };
}

/** Returns the disk after the write, or the same object if the write was already applied. */
export function afterWrites(now: DiskContents, { id, writes }: GuestWrites): DiskContents {
  if (now.wrote === id) return now;
  let next = now;
  for (const { path, file } of writes) next = withFile(next, path, file);
  return { ...next, wrote: id };
}

function writeOf(given: unknown, id: string): GuestWrite {
  const { disk, path, text, bytes, delete: gone } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string' || !path.startsWith('/')) throw new RangeError('the path must start with /');
  if (disk !== undefined && typeof disk !== 'string') throw new RangeError('the disk must be a name');
  const place = { path, ...(disk === undefined ? {} : { disk }) };
  if (gone === true) return { ...place, file: undefined };
  if (typeof text === 'string') {
    if (text.length > MAX_TEXT_LENGTH)
      throw new RangeError(`text can have at most ${MAX_TEXT_LENGTH} characters; use bytes instead`);
    return { ...place, file: { text, bytes: utf8Length(text), digest: fingerprint(text) } };
  }
  if (typeof bytes !== 'string' && typeof bytes !== 'number')
    throw new RangeError('exactly one of text, bytes and delete must be set');
  const size = value(parseQuantity(bytes));
  if (size < 0) throw new RangeError('bytes must not be negative');
  return { ...place, file: { bytes: size, digest: fingerprint(`${id} ${path} ${size}`) } };
}

function fingerprint(text: string): string {
  return toHex(sha256(text));
}
