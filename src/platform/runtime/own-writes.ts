import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Distinguishes a controller's own changes of one object from those of others. A change may be seen before the response
 * to its write, and is only judged then.
 */
export class OwnWrites {
  /** Version that the last own write created. */
  #made: string | undefined;
  /** Versions that were seen while a write is in progress. */
  #seen: (string | undefined)[] | undefined;

  /** Waits for a write of the object. Calls `missed` if someone else has changed it meanwhile. */
  async during<T extends KubeObject>(write: Promise<T>, missed: () => void): Promise<T> {
    const seen: (string | undefined)[] = [];
    this.#seen = seen;
    let made: string | undefined;
    try {
      const written = await write;
      made = written.metadata.resourceVersion;
      this.#made = made;
      return written;
    } finally {
      this.#seen = undefined;
      if (seen.some((version) => version !== made)) missed();
    }
  }

  /** Reports whether a version of the object is an own write, as far as is known yet. */
  isOwnWrite(version: string | undefined): boolean {
    const seen = this.#seen;
    seen?.push(version);
    return seen !== undefined || (version !== undefined && this.#made === version);
  }
}
