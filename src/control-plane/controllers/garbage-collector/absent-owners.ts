import type { KubeOwnerReference } from '#platform/kube/kube-object';

const MAX_OWNERS = 5000;

/** Owners that are known to be gone for good, so that each of many dependents need not ask again. Bounded. */
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

/** `namespace` is '' for cluster-wide owners. */
function idOf({ apiVersion, kind, name, uid }: KubeOwnerReference, namespace: string): string {
  return [apiVersion, kind, namespace, name, uid].join('|');
}
