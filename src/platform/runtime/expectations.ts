import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from './cache.ts';
import { keyOf } from './key.ts';
import { compareResourceVersions } from './resource-version.ts';

interface Expected {
  /** The newest of the versions that were written. */
  version: string;
  /** Objects that were deleted at once, by key: their uids. */
  readonly gone: Map<string, string>;
}

/**
 * What a controller has done to the children of an owner and its cache may not show yet. Whoever plans only while all
 * of it is met never makes a second child because the first has not arrived.
 */
export class Expectations {
  readonly #byOwner = new Map<string, Expected>();

  /** A child was created, changed or marked for deletion: `child` is what the server answered. */
  wrote(owner: string, child: KubeObject): void {
    const expected = this.#of(owner);
    const version = child.metadata.resourceVersion ?? '';
    if (compareResourceVersions(version, expected.version) > 0) expected.version = version;
  }

  /** A child was deleted and is no longer there. */
  removed(owner: string, child: KubeObject): void {
    this.#of(owner).gone.set(keyOf(child), child.metadata.uid ?? '');
  }

  /** Whether the cache of the children shows all that was done for the owner. */
  met(owner: string, children: Cache): boolean {
    const expected = this.#byOwner.get(owner);
    if (expected === undefined) return true;
    if (compareResourceVersions(children.version, expected.version) < 0) return false;
    for (const [key, uid] of expected.gone) if (children.get(key)?.metadata.uid === uid) return false;
    this.#byOwner.delete(owner);
    return true;
  }

  /** Whether this is the newest state of a child that was written for the owner, and none has been planned upon since. */
  isEcho(owner: string, { metadata }: KubeObject): boolean {
    return this.#byOwner.get(owner)?.version === metadata.resourceVersion;
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }

  #of(owner: string): Expected {
    let expected = this.#byOwner.get(owner);
    if (expected === undefined) {
      expected = { version: '', gone: new Map() };
      this.#byOwner.set(owner, expected);
    }
    return expected;
  }
}
