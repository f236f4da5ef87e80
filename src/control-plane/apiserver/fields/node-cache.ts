import { type FieldSet, node } from './field-set.ts';
import type { PathElement } from './path-element.ts';

interface Known {
  readonly member: boolean;
  readonly elements: readonly PathElement[];
  readonly children: readonly FieldSet[];
  readonly node: FieldSet;
  /** Set if the node was found since the last search for a free slot. */
  used: boolean;
}

const SIZE = 12;
/** Maximum size of cached nodes. Larger ones hardly ever recur, and would use much memory. */
const MAX_SIZE = 1_000;

/**
 * Caches the last nodes that were created for one type. Objects created from one template have the same fields, so that
 * a cached node saves creating it, and equal sets are one set in memory.
 */
export class NodeCache {
  readonly #known: Known[] = [];
  #next = 0;

  /** Works as `node`; the arrays must not be modified afterwards. */
  node(member: boolean, elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet | undefined {
    const size = elements.length;
    if (size > MAX_SIZE) return node(member, elements, children);
    if (size > 0) {
      for (const known of this.#known) {
        if (known.elements.length === size && known.member === member && isSame(known, elements, children)) {
          known.used = true;
          return known.node;
        }
      }
    }
    const made = node(member, elements, children);
    if (size > 0 && made !== undefined)
      this.#known[this.#place()] = { member, elements, children, node: made, used: false };
    return made;
  }

  /**
   * Returns the slot for the next node. Nodes with something unique in them, such as an owner's uid, must not evict the
   * others.
   */
  #place(): number {
    for (;;) {
      const at = this.#next;
      const known = this.#known[at];
      this.#next = (at + 1) % SIZE;
      if (known?.used !== true) return at;
      known.used = false;
    }
  }
}

function isSame(known: Known, elements: readonly PathElement[], children: readonly FieldSet[]): boolean {
  for (let i = 0; i < children.length; i++) if (known.children[i] !== children[i]) return false;
  if (known.elements === elements) return true;
  for (let i = 0; i < elements.length; i++) if (known.elements[i] !== elements[i]) return false;
  return true;
}
