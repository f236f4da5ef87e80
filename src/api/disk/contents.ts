/**
 * What is on a simulated disk: a small true model, kept in an annotation of its PersistentVolumeClaim, so that it outlives
 * processes and nodes. It is whole by itself: nothing that it was made from has to be kept for it.
 */

/** JSON, a DiskContents. A claim without it is a blank disk. Written by whoever makes the claim, then by node agents. */
export const DISK_CONTENTS_ANNOTATION = 'vimana.io/disk-contents';

/** One file, which is written as a whole. */
export interface DiskFile {
  readonly bytes: number;
  /** sha256 of what is in it, in hexadecimal. */
  readonly digest: string;
  /** What is in it, where it was written as text. */
  readonly text?: string;
  /** It stands with the disk that a linked clone was made from, and takes no room here. */
  readonly shared?: true;
}

export interface DiskContents {
  /** The image that the disk was made from, which is not fetched: its name, and what its checksum must be. */
  readonly image?: { readonly source: string; readonly checksum?: string };
  /** By path. */
  readonly files: Readonly<Record<string, DiskFile>>;
  /** What it is a copy of: `claim namespace/name` or `snapshot namespace/name`. */
  readonly from?: string;
  /** The write that was last asked for by annotation, and has been made. */
  readonly wrote?: string;
  /** The restore that the contents come from: its uid, and the snapshots that they build on, oldest first. */
  readonly branch?: { readonly uid: string; readonly on: readonly SnapshotName[] };
  /** The guest goes on here, and not from the start, when the machine next runs. */
  readonly resume?: GuestState;
}

export interface SnapshotName {
  readonly name: string;
  readonly uid: string;
}

/** What a simulated guest has in memory. */
export interface GuestState {
  /** For how long it had run. */
  readonly uptimeMs: number;
  readonly memoryBytes: number;
  readonly vcpus: number;
  /** Those of its disks that outlive it: it would write over whatever another disk holds. */
  readonly disks?: readonly GuestDisk[];
}

/** A disk as a guest knows it: which, and how large where that was known. */
export interface GuestDisk {
  readonly claim: string;
  readonly bytes?: number;
}

export const BLANK_DISK: DiskContents = { files: {} };

/** Annotations of a claim are at most 256 KiB, of which others need some. */
export const MAX_CONTENTS_BYTES = 128 * 1024;

/** The contents as they stand in an annotation. */
export function formatContents(contents: DiskContents): string {
  return JSON.stringify(contents);
}

/** The contents of a disk by the annotation of its claim; undefined where nobody can read them. */
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

/** Bytes that the disk holds of its own. */
export function ownBytes({ files }: DiskContents): number {
  let bytes = 0;
  for (const file of Object.values(files)) if (file.shared !== true) bytes += file.bytes;
  return bytes;
}

/** Bytes of what is not the same in another state of the disk; without one, all that it holds of its own. */
export function bytesBeyond(contents: DiskContents, below: DiskContents | undefined): number {
  if (below === undefined) return ownBytes(contents);
  let bytes = 0;
  for (const [path, file] of Object.entries(contents.files)) {
    const before = own(below.files, path);
    if (before?.digest !== file.digest || before.bytes !== file.bytes) bytes += file.bytes;
  }
  return bytes;
}

/** A file as it now is, or none where undefined. */
export function withFile(contents: DiskContents, path: string, file: DiskFile | undefined): DiskContents {
  const { [path]: _before, ...others } = contents.files;
  return { ...contents, files: file === undefined ? others : { ...others, [path]: file } };
}

/** A disk of its own with the same on it; linked, it takes no room for what is there already. */
export function copyOf({ image, files }: DiskContents, from: string, linked: boolean): DiskContents {
  const copied = Object.entries(files).map(([path, { shared: _shared, ...file }]): [string, DiskFile] => [
    path,
    linked ? { ...file, shared: true } : file,
  ]);
  return { ...(image === undefined ? {} : { image }), files: Object.fromEntries(copied), from };
}

/** The disk of a machine after a restore of what a snapshot kept of it. */
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
    // That something was asked for and done is not undone: it would be done again.
    ...(now.wrote === undefined ? {} : { wrote: now.wrote }),
    branch,
    ...(resume === undefined ? {} : { resume }),
  };
}

/** What a snapshot keeps of a disk: not what is remembered of requests. */
export function retainedOf({ image, files, from }: DiskContents): DiskContents {
  return {
    ...(image === undefined ? {} : { image }),
    files,
    ...(from === undefined ? {} : { from }),
  };
}

const own = (files: DiskContents['files'], path: string) => (Object.hasOwn(files, path) ? files[path] : undefined);
