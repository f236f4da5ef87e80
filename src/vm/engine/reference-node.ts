import { DEFAULT_NODE, type NodeSize } from '#api/launcher-load';
import type { Node } from '#platform/kube/kinds/node';
import type { Cache } from '#platform/runtime/cache';
import { sharedSize } from '#vm/usage/reference-node';

/** Node size that fractional VM sizes refer to. It is recomputed only after nodes have changed. */
export class ReferenceNode {
  readonly defaultNode: NodeSize;
  #known: { readonly cache: Cache<Node>; readonly version: string; readonly size: NodeSize } | undefined;

  constructor(defaultNode: NodeSize = DEFAULT_NODE) {
    this.defaultNode = defaultNode;
  }

  /** Returns the size that all simulated nodes share, otherwise the default. */
  among(cache: Cache<Node>): NodeSize {
    const { version } = cache;
    if (this.#known?.cache === cache && this.#known.version === version) return this.#known.size;
    const size = sharedSize(cache.all()) ?? this.defaultNode;
    this.#known = { cache, version, size };
    return size;
  }
}
