import { BLANK_DISK, type DiskContents } from '#api/disk/contents';
import type { DiskStore } from '#vm/storage/disk/disk-store';

/** Disks that are forgotten with the process; all are there, and blank until something is written. */
export class MemoryDisks implements DiskStore {
  readonly #disks = new Map<string, DiskContents>();

  async read(namespace: string, claim: string): Promise<DiskContents> {
    return this.known(namespace, claim) ?? BLANK_DISK;
  }

  async change(namespace: string, claim: string, next: (now: DiskContents) => DiskContents): Promise<DiskContents> {
    const wanted = next(await this.read(namespace, claim));
    this.#disks.set(`${namespace}/${claim}`, wanted);
    return wanted;
  }

  known(namespace: string, claim: string): DiskContents | undefined {
    return this.#disks.get(`${namespace}/${claim}`);
  }

  /** Nobody has said how large they are. */
  bytes(): undefined {
    return undefined;
  }
}
