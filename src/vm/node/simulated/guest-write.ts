import { createHash } from 'node:crypto';
import { type DiskContents, type DiskFile, withFile } from '#api/disk/contents';
import { parseQuantity, value } from '#platform/base/quantity';

/**
 * Has a simulated guest write to its disks, while its machine runs: an annotation of the VirtualMachineInstance or of its
 * launcher pod. Each value is acted on once; to write the same again, change the value, by an `id` for instance.
 *
 * - `/etc/motd=hello`: the file becomes this text, on the first disk that can be written.
 * - `{"path": "/var/db", "bytes": "2Gi", "disk": "data", "id": "7"}`: so many bytes that nothing else is the same as.
 * - `{"path": "/etc/motd", "delete": true}`, or a list of such objects, which are done together for each disk.
 */
export const GUEST_WRITE_ANNOTATION = 'vimana.io/guest-write';

export interface GuestWrite {
  /** The first that can be written where absent. */
  readonly disk?: string;
  readonly path: string;
  /** Undefined: the file goes. */
  readonly file: DiskFile | undefined;
}

export interface GuestWrites {
  /** Of the whole request: what has been done is known by it. */
  readonly id: string;
  readonly writes: readonly GuestWrite[];
}

const MAX_TEXT_LENGTH = 4096;

/** Reads a request; throws a RangeError that says what is wrong with it. */
export function readGuestWrites(text: string): GuestWrites {
  const id = sha256(text).slice(0, 16);
  if (!/^\s*[[{]/.test(text)) {
    const end = text.indexOf('=');
    if (end < 0) throw new RangeError('it is neither path=text nor JSON');
    return { id, writes: [writeOf({ path: text.slice(0, end), text: text.slice(end + 1) }, id)] };
  }
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new RangeError('it is no JSON');
  }
  return { id, writes: (Array.isArray(read) ? read : [read]).map((each) => writeOf(each, id)) };
}

/** The disk after the guest has written to it; the very same where it has done so before. */
export function afterWrites(now: DiskContents, { id, writes }: GuestWrites): DiskContents {
  if (now.wrote === id) return now;
  let next = now;
  for (const { path, file } of writes) next = withFile(next, path, file);
  return { ...next, wrote: id };
}

function writeOf(given: unknown, id: string): GuestWrite {
  const { disk, path, text, bytes, delete: gone } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof path !== 'string' || !path.startsWith('/')) throw new RangeError('a path begins with /');
  if (disk !== undefined && typeof disk !== 'string') throw new RangeError('a disk is given by its name');
  const place = { path, ...(disk === undefined ? {} : { disk }) };
  if (gone === true) return { ...place, file: undefined };
  if (typeof text === 'string') {
    if (text.length > MAX_TEXT_LENGTH)
      throw new RangeError(`text has at most ${MAX_TEXT_LENGTH} characters; give bytes instead`);
    return { ...place, file: { text, bytes: Buffer.byteLength(text), digest: sha256(text) } };
  }
  if (typeof bytes !== 'string' && typeof bytes !== 'number')
    throw new RangeError('text, bytes or delete says what to write');
  const size = value(parseQuantity(bytes));
  if (size < 0) throw new RangeError('bytes cannot be less than nothing');
  return { ...place, file: { bytes: size, digest: sha256(`${id} ${path} ${size}`) } };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
