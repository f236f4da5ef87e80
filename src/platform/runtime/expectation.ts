import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from './cache.ts';
import { keyOf } from './key.ts';
import { compareResourceVersions } from './resource-version.ts';

/**
 * Changes that a controller has made to the children of one owner and that its cache may not show yet. A controller
 * that plans only once they are met never creates a second child because the first has not arrived.
 */
export class Expectation {
  /** Newest version of a written object. Empty if nothing was written since the expectation was last met. */
  #version = '';
  /** Uids of objects that were deleted at once, by key. */
  #gone: Map<string, string> | undefined;

  /** Records that a child was created, changed or marked for deletion. `child` is the response of the server. */
  wrote(child: KubeObject): void {
    const version = child.metadata.resourceVersion ?? '';
    if (compareResourceVersions(version, this.#version) > 0) this.#version = version;
  }

  /** Records that a child was deleted and is gone. */
  removed(child: KubeObject): void {
    this.#gone ??= new Map();
    this.#gone.set(keyOf(child), child.metadata.uid ?? '');
  }

  /** Reports whether the cache of the children shows all changes. */
  isMet(children: Cache): boolean {
    if (this.#version === '' && this.#gone === undefined) return true;
    if (compareResourceVersions(children.version, this.#version) < 0) return false;
    for (const [key, uid] of this.#gone ?? []) if (children.get(key)?.metadata.uid === uid) return false;
    this.#version = '';
    this.#gone = undefined;
    return true;
  }

  /** Reports whether this is the newest state of a child that was written, with no plan made since. */
  isEcho({ metadata }: KubeObject): boolean {
    return this.#version !== '' && this.#version === metadata.resourceVersion;
  }
}
