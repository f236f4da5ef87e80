import { type FieldSet, node } from './field-set.ts';
import type { PathElement } from './path-element.ts';

interface Known {
  readonly member: boolean;
  readonly elements: readonly PathElement[];
  readonly children: readonly FieldSet[];
  readonly node: FieldSet;
}

const SIZE = 4;

/**
 * Remembers the last nodes that were made for one type. Objects made from one template have the same fields, so that
 * finding a node again saves making it, and equal sets are one set in memory.
 */
export class NodeCache {
  readonly #known: Known[] = [];
  #next = 0;

  /** As `node`; the arrays belong to the cache afterwards. */
  node(member: boolean, elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet | undefined {
    const size = elements.length;
    if (size > 0) {
      for (const known of this.#known) {
        if (known.elements.length === size && known.member === member && isSame(known, elements, children)) {
          return known.node;
        }
      }
    }
    const made = node(member, elements, children);
    if (size > 0 && made !== undefined) {
      this.#known[this.#next] = { member, elements, children, node: made };
      this.#next = (this.#next + 1) % SIZE;
    }
    return made;
  }
}

function isSame(known: Known, elements: readonly PathElement[], children: readonly FieldSet[]): boolean {
  for (let i = 0; i < elements.length; i++) {
    if (known.children[i] !== children[i] || known.elements[i] !== elements[i]) return false;
  }
  return true;
}
