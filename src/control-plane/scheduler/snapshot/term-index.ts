import type { AffinityTerm, WeightedTerm } from '../pod/affinity-term.ts';
import type { PodInfo } from '../pod/pod-info.ts';

/** A term of placed pods, with its weight on each node. */
export interface PlacedTerm {
  readonly term: AffinityTerm;
  /** Sums of the weights by slot, or numbers of pods if the terms have no weight. */
  readonly bySlot: ReadonlyMap<number, number>;
}

interface Entry extends PlacedTerm {
  readonly bySlot: Map<number, number>;
  /** Number of pods with the term by slot, since weights alone could add up to 0. */
  readonly pods: Map<number, number>;
}

/** Terms of one kind over all pods. Equal terms share an entry, so that a new pod is compared with few. */
class TermTable {
  readonly entries = new Map<string, Entry>();

  move(slot: number, term: AffinityTerm, weight: number, by: 1 | -1): void {
    let entry = this.entries.get(term.key);
    if (entry === undefined) {
      entry = { term, bySlot: new Map(), pods: new Map() };
      this.entries.set(term.key, entry);
    }
    const pods = (entry.pods.get(slot) ?? 0) + by;
    if (pods === 0) {
      entry.pods.delete(slot);
      entry.bySlot.delete(slot);
      if (entry.pods.size === 0) this.entries.delete(term.key);
      return;
    }
    entry.pods.set(slot, pods);
    entry.bySlot.set(slot, (entry.bySlot.get(slot) ?? 0) + by * weight);
  }
}

/** Indexes the affinity terms of placed pods. */
export class TermIndex {
  readonly #antiAffinity = new TermTable();
  readonly #affinity = new TermTable();
  readonly #preferredAffinity = new TermTable();
  readonly #preferredAntiAffinity = new TermTable();

  get antiAffinity(): ReadonlyMap<string, PlacedTerm> {
    return this.#antiAffinity.entries;
  }
  get affinity(): ReadonlyMap<string, PlacedTerm> {
    return this.#affinity.entries;
  }
  get preferredAffinity(): ReadonlyMap<string, PlacedTerm> {
    return this.#preferredAffinity.entries;
  }
  get preferredAntiAffinity(): ReadonlyMap<string, PlacedTerm> {
    return this.#preferredAntiAffinity.entries;
  }

  podMoved(slot: number, pod: PodInfo, by: 1 | -1): void {
    for (const term of pod.antiAffinity) this.#antiAffinity.move(slot, term, 1, by);
    for (const term of pod.affinity) this.#affinity.move(slot, term, 1, by);
    for (const term of pod.preferredAffinity) this.#preferredAffinity.move(slot, term, weightOf(term), by);
    for (const term of pod.preferredAntiAffinity) this.#preferredAntiAffinity.move(slot, term, weightOf(term), by);
  }
}

const weightOf = ({ weight }: WeightedTerm): number => weight;
