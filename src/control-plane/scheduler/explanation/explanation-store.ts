import type { Explanation, NodeExplanation, ScoreExplanation } from '#platform/kube/kinds/pod-explanation';
import type { Attempt } from '../framework/attempt.ts';
import type { FilterStatus } from '../framework/filter.ts';

/** Outcome of a scheduling attempt, without the results of single nodes. */
export interface AttemptOutcome {
  readonly scheduler: string;
  /** Wall clock time of the attempt. */
  readonly at: number;
  readonly attempt: number;
  readonly message?: string;
  readonly nominatedNode?: string;
}

/** An attempt as stored. Its figures of nodes are in the shared array, starting at `from`. */
interface Kept extends AttemptOutcome {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly key: string;
  readonly names: readonly string[];
  readonly chosen: number | undefined;
  readonly nodes: number;
  readonly feasible: number;
  readonly refused: number;
  readonly refusals: readonly FilterStatus[];
  readonly scores: readonly { readonly name: string; readonly weight: number; readonly scaled: boolean }[];
  readonly from: number;
  readonly length: number;
  /** Status that applied to all nodes before any was checked. */
  readonly all: FilterStatus | undefined;
}

export interface ExplanationStoreOptions {
  /** Total number of figures to retain. An attempt takes about six for each feasible node. */
  readonly figures?: number;
  /** Total number of attempts to retain. */
  readonly attempts?: number;
}

const FIGURES = 4 * 1024 * 1024;
const ATTEMPTS = 20_000;

/**
 * Stores the latest scheduling attempts. Recording copies numbers into one large ring buffer, and explanations are
 * built only on request.
 */
export class ExplanationStore {
  readonly #figures: Int32Array;
  readonly #most: number;
  readonly #byPod = new Map<string, Kept[]>();
  /** Attempts with the oldest first, starting at `#oldest`. */
  #kept: Kept[] = [];
  #oldest = 0;
  #next = 0;

  constructor({ figures = FIGURES, attempts = ATTEMPTS }: ExplanationStoreOptions = {}) {
    this.#figures = new Int32Array(figures);
    this.#most = attempts;
  }

  record(attempt: Attempt, names: readonly string[], outcome: AttemptOutcome): void {
    const { pod, feasibleCount, refusedCount, scored, chosen, diagnosis } = attempt;
    let length = feasibleCount + 2 * refusedCount;
    for (const { raw, normalised } of scored) length += feasibleCount * (raw === normalised ? 1 : 2);
    if (length > this.#figures.length) return;
    const from = this.#room(length);
    const refusals = this.#write(attempt, from);
    const kept: Kept = {
      ...outcome,
      namespace: pod.namespace,
      name: pod.name,
      uid: pod.uid,
      key: pod.key,
      names,
      chosen,
      nodes: attempt.order.slots.length,
      feasible: feasibleCount,
      refused: refusedCount,
      refusals,
      scores: scored.map(({ plugin, raw, normalised }) => ({
        name: plugin.score.name,
        weight: plugin.weight,
        scaled: raw !== normalised,
      })),
      from,
      length,
      all: diagnosis?.all,
    };
    this.#kept.push(kept);
    const same = this.#byPod.get(pod.key);
    if (same === undefined) this.#byPod.set(pod.key, [kept]);
    else same.push(kept);
  }

  /** Returns the retained attempts of a pod, newest first. */
  explanationOf(namespace: string, name: string): readonly Explanation[] {
    const kept = this.#byPod.get(namespace === '' ? name : `${namespace}/${name}`) ?? [];
    return kept.toReversed().map((one) => this.#read(one));
  }

  /** Reserves space for a number of figures and drops the attempts stored there. */
  #room(length: number): number {
    if (this.#next + length > this.#figures.length) {
      // Attempts behind the wrap-around position are the oldest and would break the order later.
      this.#forgetWhile((kept) => kept.from >= this.#next);
      this.#next = 0;
    }
    const from = this.#next;
    this.#next += length;
    this.#forgetWhile((kept) => kept.from < from + length && kept.from + kept.length > from);
    while (this.#kept.length - this.#oldest >= this.#most) this.#forget();
    return from;
  }

  #forgetWhile(inTheWay: (kept: Kept) => boolean): void {
    for (;;) {
      const kept = this.#kept[this.#oldest];
      if (kept === undefined || !inTheWay(kept)) return;
      this.#forget();
    }
  }

  #forget(): void {
    const kept = this.#kept[this.#oldest++];
    if (kept === undefined) return;
    const same = this.#byPod.get(kept.key);
    same?.shift();
    if (same?.length === 0) this.#byPod.delete(kept.key);
    if (this.#oldest > 1024 && this.#oldest * 2 > this.#kept.length) {
      this.#kept = this.#kept.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  /** Returns the statuses that the figures refer to by number. */
  #write(attempt: Attempt, from: number): readonly FilterStatus[] {
    const figures = this.#figures;
    const { feasible, feasibleCount, refused: rejected, refusals, refusedCount, scored } = attempt;
    let at = from;
    const column = (values: Int32Array | Float64Array): void => {
      figures.set(values.subarray(0, feasibleCount), at);
      at += feasibleCount;
    };
    column(feasible);
    for (const { raw, normalised } of scored) {
      column(raw);
      if (raw !== normalised) column(normalised);
    }
    const numbers = new Map<FilterStatus, number>();
    for (let i = 0; i < refusedCount; i++) {
      const refusal = refusals[i] as FilterStatus;
      let number = numbers.get(refusal);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(refusal, number);
      }
      figures[at++] = rejected[i] ?? 0;
      figures[at++] = number;
    }
    return [...numbers.keys()];
  }

  #read(kept: Kept): Explanation {
    const { namespace, name, uid, scheduler, at, attempt, chosen, names, message, nominatedNode, all } = kept;
    const nodes = [...this.#suiting(kept), ...this.#unsuiting(kept)];
    const said = message ?? all?.reasons.join(', ');
    return {
      namespace,
      name,
      uid,
      scheduler,
      time: new Date(at).toISOString(),
      attempt,
      ...(chosen === undefined ? {} : { node: names[chosen] ?? '' }),
      ...(said === undefined ? {} : { message: said }),
      ...(nominatedNode === undefined ? {} : { nominatedNode }),
      nodesInCluster: kept.nodes,
      nodes,
    };
  }

  #suiting({ from, feasible, scores, names, chosen }: Kept): NodeExplanation[] {
    const figures = this.#figures;
    const nodes: (NodeExplanation & { slot: number })[] = [];
    for (let i = 0; i < feasible; i++) {
      const slot = figures[from + i] ?? 0;
      let column = from + feasible;
      let total = 0;
      const explained: Record<string, ScoreExplanation> = {};
      for (const { name, weight, scaled } of scores) {
        const raw = figures[column + i] ?? 0;
        if (scaled) column += feasible;
        const normalised = figures[column + i] ?? 0;
        column += feasible;
        explained[name] = { raw, normalised, weight, weighted: weight * normalised };
        total += weight * normalised;
      }
      const node = { slot, name: names[slot] ?? '', suits: true };
      nodes.push(scores.length === 0 ? node : { ...node, total, scores: explained });
    }
    const first = (node: { readonly slot: number }) => (node.slot === chosen ? 0 : 1);
    nodes.sort((a, b) => (b.total ?? 0) - (a.total ?? 0) || first(a) - first(b));
    return nodes.map(({ slot: _slot, ...node }) => node);
  }

  #unsuiting({ from, length, refused: rejected, refusals, names }: Kept): NodeExplanation[] {
    const nodes: NodeExplanation[] = [];
    for (let i = 0, at = from + length - 2 * rejected; i < rejected; i++, at += 2) {
      const refusal = refusals[this.#figures[at + 1] ?? 0];
      const { plugin = '', reasons = [] } = refusal ?? {};
      nodes.push({ name: names[this.#figures[at] ?? 0] ?? '', suits: false, refusedBy: plugin, reasons });
    }
    return nodes;
  }
}
