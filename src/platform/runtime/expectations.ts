import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from './cache.ts';
import { keyOf } from './key.ts';
import { compareResourceVersions } from './resource-version.ts';

interface Expected {
  /** Newest version that was written. */
  version: string;
  /** Uids of objects that were deleted at once, by key. */
  readonly gone: Map<string, string>;
}

/**
 * Changes that a controller has made to the children of an owner and that its cache may not show yet. A controller that
 * plans only once they are met never creates a second child because the first has not arrived.
 */
export class Expectations {
  readonly #byOwner = new Map<string, Expected>();

  /** Records that a child was created, changed or marked for deletion. `child` is the response of the server. */
  wrote(owner: string, child: KubeObject): void {
    const expected = this.#of(owner);
    const version = child.metadata.resourceVersion ?? '';
    if (compareResourceVersions(version, expected.version) > 0) expected.version = version;
  }

  /** Records that a child was deleted and is gone. */
  removed(owner: string, child: KubeObject): void {
    this.#of(owner).gone.set(keyOf(child), child.metadata.uid ?? '');
  }

  /** Reports whether the cache of the children shows all changes made for the owner. */
  met(owner: string, children: Cache): boolean {
    const expected = this.#byOwner.get(owner);
    if (expected === undefined) return true;
    if (compareResourceVersions(children.version, expected.version) < 0) return false;
    for (const [key, uid] of expected.gone) if (children.get(key)?.metadata.uid === uid) return false;
    this.#byOwner.delete(owner);
    return true;
  }

  /** Reports whether this is the newest state of a child that was written for the owner, with no plan made since. */
  isEcho(owner: string, { metadata }: KubeObject): boolean {
    return this.#byOwner.get(owner)?.version === metadata.resourceVersion;
  }

  /** Drops the expectations of an owner that is gone. */
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
