import { BLANK_DISK, type DiskContents } from '#api/disk/contents';
import type { DiskStore } from '#vm/storage/disk/disk-store';

/** Holds disks that are lost with the process. Every disk exists, and is blank until it is written. */
export class MemoryDisks implements DiskStore {
  readonly #disks = new Map<string, DiskContents>();

  async read(namespace: string, claim: string): Promise<DiskContents> {
    return this.known(namespace, claim) ?? BLANK_DISK;
  }

  async change(namespace: string, claim: string, next: (now: DiskContents) => DiskContents): Promise<DiskContents> {
    const desired = next(await this.read(namespace, claim));
    this.#disks.set(`${namespace}/${claim}`, desired);
    return desired;
  }

  known(namespace: string, claim: string): DiskContents | undefined {
    return this.#disks.get(`${namespace}/${claim}`);
  }

  /** The size of these disks is unknown. */
  bytes(): undefined {
    return undefined;
  }
}
