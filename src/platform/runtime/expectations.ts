import type { KubeObject } from '#platform/kube/kube-object';
import type { Cache } from './cache.ts';
import { Expectation } from './expectation.ts';

/** The expectations of many owners, for controllers that keep no other state of an owner. */
export class Expectations {
  readonly #byOwner = new Map<string, Expectation>();

  /** Records that a child was created, changed or marked for deletion. `child` is the response of the server. */
  wrote(owner: string, child: KubeObject): void {
    this.#of(owner).wrote(child);
  }

  /** Records that a child was deleted and is gone. */
  removed(owner: string, child: KubeObject): void {
    this.#of(owner).removed(child);
  }

  /** Reports whether the cache of the children shows all changes made for the owner. */
  met(owner: string, children: Cache): boolean {
    if (this.#byOwner.get(owner)?.isMet(children) === false) return false;
    this.#byOwner.delete(owner);
    return true;
  }

  /** Drops the expectations of an owner that is gone. */
  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }

  #of(owner: string): Expectation {
    let expectation = this.#byOwner.get(owner);
    if (expectation === undefined) {
      expectation = new Expectation();
      this.#byOwner.set(owner, expectation);
    }
    return expectation;
  }
}
