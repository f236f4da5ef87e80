/** File of an archive. A directory ends with a slash, and `mode` defaults to 0644 (0755 for directories). */
export interface ArchiveEntry {
  readonly path: string;
  readonly mode?: number;
  readonly data?: Uint8Array;
  /** Target of a symbolic link. */
  readonly link?: string;
}

const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const SYMLINK = 0o120000;

/** Returns a cpio archive in the format that Linux reads as its initramfs (newc), the same bytes for the same entries. */
export function cpioArchive(entries: readonly ArchiveEntry[]): Buffer {
  const parts = entries.flatMap((entry, at) => cpioEntry(entry, at + 1));
  return Buffer.concat([...parts, ...cpioEntry({ path: 'TRAILER!!!', mode: 0 }, 0)]);
}

function cpioEntry({ path, mode, data, link }: ArchiveEntry, inode: number): Buffer[] {
  const isDirectory = path.endsWith('/');
  const type = isDirectory ? DIRECTORY : link === undefined ? REGULAR : SYMLINK;
  const content = link === undefined ? Buffer.from(data ?? []) : Buffer.from(link);
  const name = Buffer.from(`${isDirectory ? path.slice(0, -1) : path}\0`);
  const fullMode = inode === 0 ? 0 : type | (mode ?? (isDirectory || link !== undefined ? 0o755 : 0o644));
  const fields = [inode, fullMode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
  const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`;
  return [padToFour(Buffer.concat([Buffer.from(header), name])), padToFour(content)];
}

/** Pads to the multiple of four bytes at which the next part begins. */
function padToFour(part: Buffer): Buffer {
  return Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
}
