import { type FieldSet, node } from './field-set.ts';
import type { PathElement } from './path-element.ts';

interface Known {
  readonly member: boolean;
  readonly elements: readonly PathElement[];
  readonly children: readonly FieldSet[];
  readonly node: FieldSet;
  /** Found again since the last look for a place. */
  used: boolean;
}

const SIZE = 12;
/** Larger ones are hardly ever met again, and would keep much in memory. */
const LARGEST = 1_000;

/**
 * Remembers the last nodes that were made for one type. Objects made from one template have the same fields, so that
 * finding a node again saves making it, and equal sets are one set in memory.
 */
export class NodeCache {
  readonly #known: Known[] = [];
  #next = 0;

  /** As `node`; nobody may change the arrays afterwards. */
  node(member: boolean, elements: readonly PathElement[], children: readonly FieldSet[]): FieldSet | undefined {
    const size = elements.length;
    if (size > LARGEST) return node(member, elements, children);
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

  /** Where the next goes: nodes with something unique in them, such as an owner's uid, must not drive out the others. */
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
