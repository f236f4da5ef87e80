import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Distinguishes a controller's own changes of objects from those of others. A change may be seen before the response to
 * its write, and is only judged then.
 */
export class OwnWrites {
  /** Version that the last own write of each object created. */
  readonly #made = new Map<string, string | undefined>();
  /** Versions that were seen while a write of the object is in progress. */
  readonly #seen = new Map<string, (string | undefined)[]>();

  /** Waits for a write of the object. Calls `missed` if someone else has changed it meanwhile. */
  async during<T extends KubeObject>(key: string, write: Promise<T>, missed: () => void): Promise<T> {
    const seen: (string | undefined)[] = [];
    this.#seen.set(key, seen);
    let made: string | undefined;
    try {
      const written = await write;
      made = written.metadata.resourceVersion;
      this.#made.set(key, made);
      return written;
    } finally {
      this.#seen.delete(key);
      if (seen.some((version) => version !== made)) missed();
    }
  }

  /** Reports whether a version of an object is an own write, as far as is known yet. */
  isOwnWrite(key: string, version: string | undefined): boolean {
    const seen = this.#seen.get(key);
    seen?.push(version);
    return seen !== undefined || (version !== undefined && this.#made.get(key) === version);
  }

  forget(key: string): void {
    this.#made.delete(key);
  }
}
