import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import type { Problem } from './dialect.ts';

/**
 * Returns why admission would reject a stored object, with all causes in one, or undefined if it is valid. Objects
 * bypass admission if no webhook is called, and may predate the rules of an upgrade.
 */
export type AdmissionRecheck = (kind: Kind, object: KubeObject) => Problem | undefined;

/** Checks every generation of an object once. */
export class AdmissionRechecks {
  readonly #kind: Kind;
  readonly #recheck: AdmissionRecheck | undefined;
  readonly #known = new Map<string, { readonly of: string; readonly problem: Problem | undefined }>();

  /** Without a recheck every object is valid, since all have passed admission. */
  constructor(kind: Kind, review: AdmissionRecheck | undefined) {
    this.#kind = kind;
    this.#recheck = review;
  }

  of(key: string, object: KubeObject): Problem | undefined {
    if (this.#recheck === undefined) return undefined;
    const of = `${object.metadata.uid} ${object.metadata.generation}`;
    const known = this.#known.get(key);
    if (known?.of === of) return known.problem;
    const problem = this.#recheck(this.#kind, object);
    this.#known.set(key, { of, problem });
    return problem;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
