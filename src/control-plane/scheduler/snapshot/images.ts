import type { Node } from '#platform/kube/kinds/node';

/** An image that some nodes have. */
export interface ImageState {
  /** Size in bytes, as the first node with the image reported it. */
  readonly size: number;
  readonly slots: ReadonlySet<number>;
}

/** Tracks which nodes have which images. */
export class Images {
  readonly #states = new Map<string, { size: number; slots: Set<number> }>();
  readonly #namesOf = new Map<number, readonly string[]>();

  get(name: string): ImageState | undefined {
    return this.#states.get(name);
  }

  setNode(slot: number, node: Node | undefined): void {
    const images = node?.status?.images ?? [];
    const before = this.#namesOf.get(slot);
    if (images.length === 0 && before === undefined) return;
    for (const name of before ?? []) this.#leave(name, slot);
    const names = images.flatMap(({ names: all = [] }) => all);
    if (names.length === 0) this.#namesOf.delete(slot);
    else this.#namesOf.set(slot, names);
    for (const { names: all = [], sizeBytes = 0 } of images) {
      for (const name of all) {
        const state = this.#states.get(name);
        if (state === undefined) this.#states.set(name, { size: sizeBytes, slots: new Set([slot]) });
        else state.slots.add(slot);
      }
    }
  }

  #leave(name: string, slot: number): void {
    const state = this.#states.get(name);
    state?.slots.delete(slot);
    if (state?.slots.size === 0) this.#states.delete(name);
  }
}
