import type { KubeOwnerReference } from '#platform/kube/kube-object';

const MAX_OWNERS = 5000;

/** Bounded cache of owners that are known to be deleted, so that their many dependents need not request them again. */
export class AbsentOwners {
  readonly #known = new Set<string>();

  add(ref: KubeOwnerReference, namespace: string): void {
    this.#known.add(idOf(ref, namespace));
    if (this.#known.size > MAX_OWNERS) for (const oldest of this.#known) return void this.#known.delete(oldest);
  }

  has(ref: KubeOwnerReference, namespace: string): boolean {
    return this.#known.has(idOf(ref, namespace));
  }
}

/** Returns the cache key. `namespace` is '' for cluster-scoped owners. */
function idOf({ apiVersion, kind, name, uid }: KubeOwnerReference, namespace: string): string {
  return [apiVersion, kind, namespace, name, uid].join('|');
}
