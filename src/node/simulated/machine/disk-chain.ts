interface Layer {
  parent: Layer | undefined;
  readonly children: Set<Layer>;
  readonly blocks: Map<number, string>;
  /** Snapshots that show this layer and all below it. */
  readonly names: Set<string>;
}

const newLayer = (parent: Layer | undefined): Layer => {
  const layer = { parent, children: new Set<Layer>(), blocks: new Map<number, string>(), names: new Set<string>() };
  parent?.children.add(layer);
  return layer;
};

/**
 * The contents of a disk as layers: a snapshot freezes what is written so far, and everything after it goes into a new
 * layer on top. A layer that nobody can see any more on its own is merged into the one above it.
 */
export class DiskChain {
  #top: Layer = newLayer(undefined);
  readonly #snapshots = new Map<string, Layer>();

  read(block: number): string {
    for (let layer: Layer | undefined = this.#top; layer !== undefined; layer = layer.parent) {
      const found = layer.blocks.get(block);
      if (found !== undefined) return found;
    }
    return '';
  }

  write(block: number, content: string): void {
    this.#top.blocks.set(block, content);
  }

  /** Returns how many blocks the snapshot holds that the one below it does not. */
  snapshot(name: string): number {
    const frozen = this.#top;
    frozen.names.add(name);
    this.#snapshots.set(name, frozen);
    this.#top = newLayer(frozen);
    return frozen.blocks.size;
  }

  /** Whatever was written since is lost, unless another snapshot shows it. */
  restore(name: string): void {
    const frozen = this.#of(name);
    const left = this.#top;
    this.#top = newLayer(frozen);
    this.#tidy(left);
  }

  delete(name: string): void {
    const frozen = this.#of(name);
    this.#snapshots.delete(name);
    frozen.names.delete(name);
    this.#tidy(frozen);
  }

  /** How many layers there are, of which some may be of no snapshot any more. */
  get depth(): number {
    const layers = new Set<Layer>();
    for (const start of [this.#top, ...this.#snapshots.values()]) {
      for (let layer: Layer | undefined = start; layer !== undefined; layer = layer.parent) layers.add(layer);
    }
    return layers.size;
  }

  #of(name: string): Layer {
    const layer = this.#snapshots.get(name);
    if (layer === undefined) throw new RangeError(`there is no snapshot ${name}`);
    return layer;
  }

  /** Drops or merges a layer that is neither the top nor shown by a snapshot, and then perhaps the one below. */
  #tidy(layer: Layer): void {
    if (layer === this.#top || layer.names.size > 0 || layer.children.size > 1) return;
    const { parent } = layer;
    const [child] = layer.children;
    parent?.children.delete(layer);
    if (child !== undefined) {
      for (const [block, content] of layer.blocks) if (!child.blocks.has(block)) child.blocks.set(block, content);
      child.parent = parent;
      parent?.children.add(child);
    }
    if (parent !== undefined) this.#tidy(parent);
  }
}
