/** How anybody asks for something to be done with the disks of a machine: annotations, each with what answers it. */

/** The provisioner of storage classes whose disks are simulated: their contents are those of contents.ts. */
export const SIMULATED_PROVISIONER = 'vimana.io/simulated';

/**
 * On a PersistentVolumeClaim of a simulated class, from its creation: JSON, a DiskSource. The claim gets its contents
 * (vimana.io/disk-contents) from there once, as soon as the source can be read; until then it has none.
 */
export const DISK_SOURCE_ANNOTATION = 'vimana.io/disk-source';

/** What a new disk is a copy of: another claim, or what a VMSnapshot kept of the disk of that name. */
export interface DiskSource {
  readonly claim?: string;
  readonly snapshot?: string;
  /** Of the snapshot; that of its machine which has this name. */
  readonly disk?: string;
  /** Where the source is; in the claim's own namespace where absent. */
  readonly namespace?: string;
  /** Takes no room for what the source has already. */
  readonly linked?: boolean;
}

/**
 * On a VirtualMachine of any group: JSON, a RestoreRequest. The disks become what the snapshot kept, once the machine is
 * off; whoever asks keeps it off until the answer: one of the two annotations that follow, on the machine too.
 */
export const RESTORE_ANNOTATION = 'vimana.io/restore';
/** The uid of the request that was last fulfilled. */
export const RESTORED_ANNOTATION = 'vimana.io/restored';
/** JSON, a RestoreFailure: the request that was last refused, which changed nothing unless its message says so. */
export const RESTORE_FAILED_ANNOTATION = 'vimana.io/restore-failed';

export interface RestoreRequest {
  /** A VMSnapshot of the machine, in `namespace`, or in the namespace of the machine where that is absent. */
  readonly snapshot: string;
  readonly namespace?: string;
  /** Of the request: another uid asks for another restore. */
  readonly uid: string;
}

export interface RestoreFailure {
  readonly uid: string;
  readonly reason: string;
  readonly message: string;
}

/** How a restore that was asked for has gone. */
export type RestoreState = 'none' | 'asked' | 'restored' | RestoreFailure;

/** Holds a VMSnapshot while something is made from it. */
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

/** How the restore with this uid has gone, by the annotations of its machine. */
export function restoreState(annotations: Annotations, uid: string): RestoreState {
  if (annotations?.[RESTORED_ANNOTATION] === uid) return 'restored';
  const failure = read<RestoreFailure>(annotations, RESTORE_FAILED_ANNOTATION, (each) => each.uid === uid);
  if (failure !== undefined) return failure;
  return readRestoreRequest(annotations)?.uid === uid ? 'asked' : 'none';
}

/** Whether a machine must stay off: a restore is asked for and not answered yet. */
export function isRestoring(annotations: Annotations): boolean {
  const asked = readRestoreRequest(annotations);
  return asked !== undefined && restoreState(annotations, asked.uid) === 'asked';
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
