import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Tells the changes of objects that a controller has made itself from those of others. A change may be seen before the
 * write that made it is answered, and is judged only then.
 */
export class OwnWrites {
  /** The version that the last own write of each object made. */
  readonly #made = new Map<string, string | undefined>();
  /** The versions that were seen while a write of the object is under way. */
  readonly #seen = new Map<string, (string | undefined)[]>();

  /** Waits for a write of the object; `missed` is called where somebody else has changed it meanwhile. */
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

  /** Whether a version of an object is an own write, as far as is known yet. */
  isOwnWrite(key: string, version: string | undefined): boolean {
    const seen = this.#seen.get(key);
    seen?.push(version);
    return seen !== undefined || (version !== undefined && this.#made.get(key) === version);
  }

  forget(key: string): void {
    this.#made.delete(key);
  }
}
