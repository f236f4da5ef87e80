/** Restrictions of the moves of one VM besides the memory that it uses. Nodes and budgets are indexes. */
export interface VmRules {
  /** Nodes that do not accept the VM. */
  readonly excluded?: ReadonlySet<number>;
  /** Budgets that a move of the VM counts against. */
  readonly budgets?: readonly number[];
  readonly request?: Requests;
}

/** Requested cores and bytes, which a scheduler counts instead of usage. */
export interface Requests {
  readonly cpu: number;
  readonly memory: number;
}

export interface NodeRules {
  /** Set if the node accepts no VMs, because it is cordoned. */
  readonly isClosed?: boolean;
  /** Resources that VMs may still request on the node. Absent if unknown. */
  readonly free?: Requests;
}

export interface MoveRulesInput {
  readonly nodes: readonly NodeRules[];
  readonly vms: readonly VmRules[];
  /** Number of VMs that each budget allows to move in this step. */
  readonly budgets: readonly number[];
}

/** Tolerance for rounding of sums, so that a VM still fits on a node that it fills exactly. */
const TOLERANCE = 1e-6;

/** Decides which moves nodes, schedulers and budgets allow, and counts the moves that a plan has already taken. */
export class MoveRules {
  readonly #input: MoveRulesInput;
  readonly #freeCpu: Float64Array;
  readonly #freeMemory: Float64Array;
  /** Remaining moves of each budget. */
  readonly #left: Int32Array;

  private constructor(input: MoveRulesInput, freeCpu: Float64Array, freeMemory: Float64Array, left: Int32Array) {
    this.#input = input;
    this.#freeCpu = freeCpu;
    this.#freeMemory = freeMemory;
    this.#left = left;
  }

  static of(input: MoveRulesInput): MoveRules {
    const free = (of: keyof Requests) =>
      Float64Array.from(input.nodes, (node) => node.free?.[of] ?? Number.POSITIVE_INFINITY);
    return new MoveRules(input, free('cpu'), free('memory'), Int32Array.from(input.budgets));
  }

  clone(): MoveRules {
    return new MoveRules(this.#input, this.#freeCpu.slice(), this.#freeMemory.slice(), this.#left.slice());
  }

  /** Reports whether a VM may move to a node. `isHome` is set while it is where the step found it. */
  allows(vm: number, node: number, isHome: boolean): boolean {
    if (this.#input.nodes[node]?.isClosed === true) return false;
    const { excluded, budgets = [], request } = this.#input.vms[vm] ?? {};
    if (excluded?.has(node) === true) return false;
    // A VM that has already left its node is counted, wherever the plan sends it.
    if (isHome && budgets.some((budget) => (this.#left[budget] as number) < 1)) return false;
    if (request === undefined) return true;
    const [cpu, memory] = [this.#freeCpu[node] as number, this.#freeMemory[node] as number];
    return request.cpu <= cpu + TOLERANCE && request.memory <= memory + TOLERANCE;
  }

  /** Counts a move. `change` is 1 if the VM leaves the node where the step found it, -1 if it returns there. */
  count(vm: number, from: number, to: number, change: -1 | 0 | 1): void {
    const { budgets = [], request } = this.#input.vms[vm] ?? {};
    for (const budget of budgets) this.#left[budget] = (this.#left[budget] as number) - change;
    if (request === undefined) return;
    this.#take(from, -request.cpu, -request.memory);
    this.#take(to, request.cpu, request.memory);
  }

  #take(node: number, cpu: number, memory: number): void {
    this.#freeCpu[node] = (this.#freeCpu[node] as number) - cpu;
    this.#freeMemory[node] = (this.#freeMemory[node] as number) - memory;
  }
}
