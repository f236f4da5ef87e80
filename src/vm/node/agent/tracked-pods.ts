import type { TrackedPod } from './tracked-pod.ts';

/** Holds the state of the pods on a node agent's nodes, by pod and by node. */
export class TrackedPods {
  readonly #byPod = new Map<string, TrackedPod>();
  readonly #byNode = new Map<string, Set<TrackedPod>>();

  get(key: string): TrackedPod | undefined {
    return this.#byPod.get(key);
  }

  on(node: string): Iterable<TrackedPod> {
    return this.#byNode.get(node) ?? [];
  }

  add(run: TrackedPod): void {
    this.#byPod.set(run.key, run);
    const there = this.#byNode.get(run.node);
    if (there === undefined) this.#byNode.set(run.node, new Set([run]));
    else there.add(run);
  }

  remove(run: TrackedPod): void {
    this.#byPod.delete(run.key);
    const there = this.#byNode.get(run.node);
    there?.delete(run);
    if (there?.size === 0) this.#byNode.delete(run.node);
  }
}
