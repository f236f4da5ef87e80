/**
 * Contents of a simulated disk: a small faithful model in an annotation of its PersistentVolumeClaim, so that it
 * outlives processes and nodes. It is self-contained, so its sources need not be retained.
 */

/**
 * Annotation with DiskContents as JSON. A claim without it is a blank disk. The creator of the claim writes it first,
 * then node agents do.
 */
export const DISK_CONTENTS_ANNOTATION = 'vimana.io/disk-contents';

/** File, which is always written as a whole. */
export interface DiskFile {
  readonly bytes: number;
  /** SHA-256 of the content in hexadecimal. */
  readonly digest: string;
  /** Content, if it was written as text. */
  readonly text?: string;
  /** The file is stored with the source of a linked clone, and takes no space here. */
  readonly shared?: true;
}

export interface DiskContents {
  /** Image that the disk was created from, which is not downloaded: its name, and the expected checksum. */
  readonly image?: { readonly source: string; readonly checksum?: string };
  /** Files by path. */
  readonly files: Readonly<Record<string, DiskFile>>;
  /** Source of a copy: `claim namespace/name` or `snapshot namespace/name`. */
  readonly from?: string;
  /** Last write that was requested by annotation and has been done. */
  readonly wrote?: string;
  /** Restore that the contents come from: its uid, and the snapshots that they build on, oldest first. */
  readonly branch?: { readonly uid: string; readonly on: readonly SnapshotName[] };
  /** Guest state to resume from at the next start, instead of booting. */
  readonly resume?: GuestState;
}

export interface SnapshotName {
  readonly name: string;
  readonly uid: string;
}

/** Memory of a simulated guest. */
export interface GuestState {
  /** Time for which the guest had run. */
  readonly uptimeMs: number;
  readonly memoryBytes: number;
  readonly vcpus: number;
  /** Disks of the guest that outlive it. On any other disk, it would overwrite the contents. */
  readonly disks?: readonly GuestDisk[];
}

/** Disk as a guest knows it: its name, and its size if that was known. */
export interface GuestDisk {
  readonly claim: string;
  readonly bytes?: number;
}

export const BLANK_DISK: DiskContents = { files: {} };

/** Annotations of a claim are limited to 256 KiB, of which others need some. */
export const MAX_CONTENTS_BYTES = 128 * 1024;

/** Formats the contents for an annotation. */
export function formatContents(contents: DiskContents): string {
  return JSON.stringify(contents);
}

/** Parses the annotation of a claim. Returns undefined if it is malformed. */
export function parseContents(text: string | undefined): DiskContents | undefined {
  if (text === undefined) return BLANK_DISK;
  try {
    const read: unknown = JSON.parse(text);
    return isContents(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isContents(read: unknown): read is DiskContents {
  const { files } = (read ?? {}) as { readonly files?: unknown };
  if (typeof files !== 'object' || files === null) return false;
  return Object.values(files).every(
    ({ bytes, digest } = {}) => typeof bytes === 'number' && typeof digest === 'string',
  );
}

/** Returns the bytes that are stored on the disk itself. */
export function ownBytes({ files }: DiskContents): number {
  let bytes = 0;
  for (const file of Object.values(files)) if (file.shared !== true) bytes += file.bytes;
  return bytes;
}

/** Returns the bytes that differ from another state of the disk, or all of its own bytes if there is none. */
export function bytesBeyond(contents: DiskContents, below: DiskContents | undefined): number {
  if (below === undefined) return ownBytes(contents);
  let bytes = 0;
  for (const [path, file] of Object.entries(contents.files)) {
    const before = own(below.files, path);
    if (before?.digest !== file.digest || before.bytes !== file.bytes) bytes += file.bytes;
  }
  return bytes;
}

/** Returns the contents with a file replaced, or deleted if it is undefined. */
export function withFile(contents: DiskContents, path: string, file: DiskFile | undefined): DiskContents {
  const { [path]: _before, ...others } = contents.files;
  return { ...contents, files: file === undefined ? others : { ...others, [path]: file } };
}

/** Returns an independent disk with the same contents. A linked copy takes no space for existing files. */
export function copyOf({ image, files }: DiskContents, from: string, linked: boolean): DiskContents {
  const copied = Object.entries(files).map(([path, { shared: _shared, ...file }]): [string, DiskFile] => [
    path,
    linked ? { ...file, shared: true } : file,
  ]);
  return { ...(image === undefined ? {} : { image }), files: Object.fromEntries(copied), from };
}

/** Returns a disk after a restore of the contents that a snapshot retained. */
export function restoredTo(
  now: DiskContents,
  kept: DiskContents,
  branch: NonNullable<DiskContents['branch']>,
  resume: GuestState | undefined,
): DiskContents {
  const { image, files, from } = kept;
  return {
    ...(image === undefined ? {} : { image }),
    files,
    ...(from === undefined ? {} : { from }),
    // A finished write request stays recorded, since it would otherwise be done again.
    ...(now.wrote === undefined ? {} : { wrote: now.wrote }),
    branch,
    ...(resume === undefined ? {} : { resume }),
  };
}

/** Returns what a snapshot retains of a disk, without the record of requests. */
export function retainedOf({ image, files, from }: DiskContents): DiskContents {
  return {
    ...(image === undefined ? {} : { image }),
    files,
    ...(from === undefined ? {} : { from }),
  };
}

const own = (files: DiskContents['files'], path: string) => (Object.hasOwn(files, path) ? files[path] : undefined);
