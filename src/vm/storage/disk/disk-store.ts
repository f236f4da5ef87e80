import type { DiskContents } from '#api/disk/contents';
import { TerminalError } from '#platform/base/errors';

/** Holds the contents of simulated disks by claim. */
export interface DiskStore {
  /** Returns the current contents of a disk. Throws DiskNotFoundError if there is none that can be read. */
  read(namespace: string, claim: string): Promise<DiskContents>;
  /** Replaces the contents of a disk by the result of `next`. If that is the same object, nothing is written. */
  change(namespace: string, claim: string, next: (now: DiskContents) => DiskContents): Promise<DiskContents>;
  /** Returns the cached contents of a disk, which may be outdated. */
  known(namespace: string, claim: string): DiskContents | undefined;
  /** Returns the cached size of a disk, if it is known. */
  bytes(namespace: string, claim: string): number | undefined;
}

/** Reports that a disk does not exist or cannot be read. */
export class DiskNotFoundError extends TerminalError {
  constructor(message: string) {
    super(message, { code: 'NO_DISK' });
  }
}
