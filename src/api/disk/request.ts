/** Requests about the disks of a VM. They are annotations, each with one that responds to it. */

/** Provisioner of storage classes with simulated disks. Their contents are those of contents.ts. */
export const SIMULATED_PROVISIONER = 'vimana.io/simulated';

/**
 * Annotation of a PersistentVolumeClaim of a simulated class, set at creation: a DiskSource as JSON. The claim gets its
 * contents (vimana.io/disk-contents) from there once, as soon as the source can be read; until then it has none.
 */
export const DISK_SOURCE_ANNOTATION = 'vimana.io/disk-source';

/** Source of a new disk: another claim, or what a VMSnapshot retained of a disk. */
export interface DiskSource {
  readonly claim?: string;
  readonly snapshot?: string;
  /** Name of the disk in the snapshot's VM. */
  readonly disk?: string;
  /** Namespace of the source. Defaults to that of the claim. */
  readonly namespace?: string;
  /** The copy takes no space for what the source already has. */
  readonly linked?: boolean;
}

/**
 * Annotation of a VirtualMachine of any group: a RestoreRequest as JSON. The disks are restored once the VM is off. The
 * requester keeps it off until one of the following two annotations responds on the VM.
 */
export const RESTORE_ANNOTATION = 'vimana.io/restore';
/** Uid of the last request that was fulfilled. */
export const RESTORED_ANNOTATION = 'vimana.io/restored';
/** Last request that was rejected: a RestoreFailure as JSON. The request changed nothing unless its message says so. */
export const RESTORE_FAILED_ANNOTATION = 'vimana.io/restore-failed';

export interface RestoreRequest {
  /** VMSnapshot of the VM, in `namespace`. The namespace defaults to that of the VM. */
  readonly snapshot: string;
  readonly namespace?: string;
  /** Uid of the request. Another uid requests another restore. */
  readonly uid: string;
}

export interface RestoreFailure {
  readonly uid: string;
  readonly reason: string;
  readonly message: string;
}

/** State of a requested restore. */
export type RestoreState = 'none' | 'asked' | 'restored' | RestoreFailure;

/** Finalizer that holds a VMSnapshot while something is created from it. */
export const SNAPSHOT_FINALIZER = 'hypersdk.io/snapshot';

type Annotations = Readonly<Record<string, string>> | undefined;

export function readDiskSource(annotations: Annotations): DiskSource | undefined {
  return read(annotations, DISK_SOURCE_ANNOTATION, ({ claim, snapshot }: DiskSource) =>
    [claim, snapshot].some((name) => typeof name === 'string'),
  );
}

export function readRestoreRequest(annotations: Annotations): RestoreRequest | undefined {
  return read(annotations, RESTORE_ANNOTATION, ({ snapshot, uid }: RestoreRequest) =>
    [snapshot, uid].every((text) => typeof text === 'string' && text !== ''),
  );
}

/** Returns the state of the restore with this uid from the annotations of its VM. */
export function restoreState(annotations: Annotations, uid: string): RestoreState {
  if (annotations?.[RESTORED_ANNOTATION] === uid) return 'restored';
  const failure = read<RestoreFailure>(annotations, RESTORE_FAILED_ANNOTATION, (each) => each.uid === uid);
  if (failure !== undefined) return failure;
  return readRestoreRequest(annotations)?.uid === uid ? 'asked' : 'none';
}

/** Reports whether a VM must stay off because a restore is requested and not finished yet. */
export function isRestoring(annotations: Annotations): boolean {
  const requested = readRestoreRequest(annotations);
  return requested !== undefined && restoreState(annotations, requested.uid) === 'asked';
}

function read<T extends object>(annotations: Annotations, name: string, isGood: (read: T) => boolean): T | undefined {
  const text = annotations?.[name];
  if (text === undefined) return undefined;
  try {
    const found = JSON.parse(text) as T | null;
    return typeof found === 'object' && found !== null && isGood(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
