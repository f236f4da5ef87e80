import type { PodInfo } from '../pod/pod-info.ts';
import type { NodeOrder } from '../snapshot/node-tree.ts';
import type { Attempt, ScoredPlugin } from './attempt.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { FilterStatus } from './filter.ts';
import { FilterCycle, type PodNominator } from './filter-cycle.ts';
import type { Profile } from './profile.ts';
import { numFeasibleNodesToFind, type Rotation } from './sampling.ts';
import { selectHost } from './select-host.ts';

export interface PlacerDeps {
  readonly profile: Profile;
  readonly cluster: ClusterView;
  readonly nominator: PodNominator;
  /** Rotation that all profiles share. */
  readonly rotation: Rotation;
}

/**
 * Selects the node for a pod: it filters, scores and picks the best. It changes nothing but the start of the next
 * search.
 */
export class Placer {
  readonly #parts: PlacerDeps;
  #feasible = new Int32Array(0);
  #feasibleCount = 0;
  #refused = new Int32Array(0);
  #refusals: FilterStatus[] = [];
  #refusedCount = 0;
  #totals = new Float64Array(0);
  #scored: { plugin: ScoredPlugin['plugin']; raw: Float64Array; normalised: Float64Array }[] = [];

  constructor(parts: PlacerDeps) {
    this.#parts = parts;
  }

  place(pod: PodInfo): Attempt {
    const { profile, cluster, nominator } = this.#parts;
    const { nodes } = cluster;
    const { order } = nodes;
    this.#reach(nodes.slots);
    const filters = new FilterCycle(profile.filters, pod, cluster, nominator);
    if (filters.refusal !== undefined) {
      return this.#attempt(pod, order, filters, undefined, { nodes: nodes.size, refusals: NONE, all: filters.refusal });
    }
    if (!this.#tryNominated(pod, filters)) this.#search(filters, order);
    if (this.#feasibleCount === 0) return this.#attempt(pod, order, filters, undefined, this.#diagnose(filters));
    const best = this.#feasibleCount === 1 ? 0 : this.#best(pod);
    return this.#attempt(pod, order, filters, this.#feasible[best], undefined);
  }

  /** Checks the nominated node first, since it is most likely the only feasible one. */
  #tryNominated({ pod }: PodInfo, filters: FilterCycle): boolean {
    const { nodes } = this.#parts.cluster;
    const name = pod.status?.nominatedNodeName ?? '';
    const slot = name === '' ? undefined : nodes.slotOf(name);
    if (slot === undefined || nodes.nodeAt(slot) === undefined) return false;
    if (filters.check(slot) !== undefined) return false;
    this.#feasible[this.#feasibleCount++] = slot;
    return true;
  }

  #search(filters: FilterCycle, order: NodeOrder): void {
    const { profile, cluster, rotation } = this.#parts;
    const { nodes } = cluster;
    const slots = filters.only === undefined ? order.slots : this.#slotsOf(filters.only);
    const total = slots.length;
    const enough = profile.scores.length === 0 ? 1 : numFeasibleNodesToFind(total, profile.percentageOfNodesToScore);
    let at = total === 0 ? 0 : rotation.start % total;
    for (let looked = 0; looked < total; looked++) {
      const slot = slots[at] ?? 0;
      at = at + 1 === total ? 0 : at + 1;
      const refusal = filters.check(slot);
      if (refusal !== undefined) {
        this.#refused[this.#refusedCount] = slot;
        this.#refusals[this.#refusedCount++] = refusal;
      } else if (this.#feasibleCount === enough) break;
      else this.#feasible[this.#feasibleCount++] = slot;
    }
    rotation.advance(this.#feasibleCount + this.#refusedCount, nodes.size);
  }

  #slotsOf(names: ReadonlySet<string>): Int32Array {
    const { nodes } = this.#parts.cluster;
    const slots: number[] = [];
    for (const name of names) {
      const slot = nodes.slotOf(name);
      if (slot !== undefined && nodes.nodeAt(slot) !== undefined) slots.push(slot);
    }
    return Int32Array.from(slots);
  }

  #best(pod: PodInfo): number {
    const { profile, cluster } = this.#parts;
    const count = this.#feasibleCount;
    const totals = this.#totals;
    totals.fill(0, 0, count);
    const feasible = { slots: this.#feasible, count };
    for (let i = 0; i < profile.scores.length; i++) {
      const plugin = profile.scores[i] as Profile['scores'][number];
      const prepared = plugin.score.prepare(pod, cluster, feasible);
      if (prepared === undefined) continue;
      const { raw, normalised } = this.#buffers(i);
      prepared.raw(raw);
      let scores = raw;
      if (prepared.normalize !== undefined) {
        for (let j = 0; j < count; j++) normalised[j] = raw[j] ?? 0;
        prepared.normalize(normalised);
        scores = normalised;
      }
      for (let j = 0; j < count; j++) totals[j] = (totals[j] ?? 0) + plugin.weight * (scores[j] ?? 0);
      this.#scored.push({ plugin, raw, normalised: scores });
    }
    return selectHost(totals, count);
  }

  readonly #scoreBuffers: { raw: Float64Array; normalised: Float64Array }[] = [];

  #buffers(plugin: number): { raw: Float64Array; normalised: Float64Array } {
    const { length } = this.#feasible;
    let buffers = this.#scoreBuffers[plugin];
    if (buffers === undefined || buffers.raw.length < length) {
      buffers = { raw: new Float64Array(length), normalised: new Float64Array(length) };
      this.#scoreBuffers[plugin] = buffers;
    }
    return buffers;
  }

  #diagnose({ only, limiting }: FilterCycle): Diagnosis {
    const { nodes } = this.#parts.cluster;
    const refusals = new Map<FilterStatus, number>();
    for (let i = 0; i < this.#refusedCount; i++) {
      const refusal = this.#refusals[i] as FilterStatus;
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    }
    const [plugin] = limiting;
    if (only === undefined || plugin === undefined) return { nodes: nodes.size, refusals };
    const reasons = [`node(s) didn't satisfy plugin(s) [${limiting.toSorted().join(' ')}]`];
    return { nodes: nodes.size, refusals, others: { plugin, reasons, preemptable: false } };
  }

  #attempt(
    pod: PodInfo,
    order: NodeOrder,
    filters: FilterCycle,
    chosen: number | undefined,
    diagnosis: Diagnosis | undefined,
  ): Attempt {
    return {
      pod,
      order,
      filters,
      feasible: this.#feasible,
      feasibleCount: this.#feasibleCount,
      refused: this.#refused,
      refusals: this.#refusals,
      refusedCount: this.#refusedCount,
      scored: this.#scored,
      totals: this.#totals,
      chosen,
      diagnosis,
    };
  }

  /** Clears the results of the last attempt and grows the arrays to hold all nodes. */
  #reach(slots: number): void {
    this.#feasibleCount = 0;
    this.#refusedCount = 0;
    this.#scored = [];
    if (this.#feasible.length >= slots) return;
    const length = Math.max(64, 2 * slots);
    this.#feasible = new Int32Array(length);
    this.#refused = new Int32Array(length);
    this.#refusals = [];
    this.#totals = new Float64Array(length);
  }
}

const NONE: ReadonlyMap<FilterStatus, number> = new Map();
