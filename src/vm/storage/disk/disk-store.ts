import type { DiskContents } from '#api/disk/contents';
import { TerminalError } from '#platform/base/errors';

/** Holds what is on simulated disks, by the claim that each is. */
export interface DiskStore {
  /** What is on a disk at this moment. Fails with NoDisk where there is none that can be read. */
  read(namespace: string, claim: string): Promise<DiskContents>;
  /** Makes of what is on a disk what `next` says; where that is the very same, nothing is written. */
  change(namespace: string, claim: string, next: (now: DiskContents) => DiskContents): Promise<DiskContents>;
  /** What is known of a disk without asking, which may be old. */
  known(namespace: string, claim: string): DiskContents | undefined;
  /** How large a disk is, as far as that is known without asking. */
  bytes(namespace: string, claim: string): number | undefined;
}

/** A disk is not there, or nobody can read it. */
export class DiskNotFoundError extends TerminalError {
  constructor(message: string) {
    super(message, { code: 'NO_DISK' });
  }
}
