/** Window of a trace that is imported. Times are milliseconds of the trace. */
export interface TraceWindow {
  readonly from: number;
  readonly durationMs: number;
  readonly intervalMs: number;
}

/** VM of a trace. Times are milliseconds of the trace. */
export interface TraceVm {
  readonly id: string;
  readonly cores: number;
  readonly memoryGi: number;
  readonly createdAt: number;
  /** Infinity if it is not known to end. */
  deletedAt: number;
  /** Means of what was measured in each interval of the window. Absent without a measurement. */
  cpu?: Series;
  memory?: Series;
}

/** Sums and counts of measurements by interval. */
export class Series {
  readonly #sums: Float64Array;
  readonly #counts: Uint32Array;

  constructor(size: number) {
    this.#sums = new Float64Array(size);
    this.#counts = new Uint32Array(size);
  }

  add(at: number, value: number): void {
    this.#sums[at] = (this.#sums[at] ?? 0) + value;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** Returns the mean of an interval, or undefined if nothing was measured in it. */
  mean(at: number): number | undefined {
    const count = this.#counts[at] ?? 0;
    return count === 0 ? undefined : (this.#sums[at] ?? 0) / count;
  }

  /** Returns the mean of all measurements. */
  get overall(): number {
    const count = this.#counts.reduce((sum, each) => sum + each, 0);
    return count === 0 ? 0 : this.#sums.reduce((sum, each) => sum + each, 0) / count;
  }
}

/** VMs that are imported: the first ones of the trace, up to a maximum. Only they are kept in memory. */
export class TraceVms {
  readonly window: TraceWindow;
  /** Number of VMs that were left out because of the maximum. */
  omitted = 0;
  readonly #vms = new Map<string, TraceVm>();
  readonly #max: number;
  readonly #slots: number;

  constructor(window: TraceWindow, max: number) {
    this.window = window;
    this.#max = max;
    this.#slots = Math.ceil(window.durationMs / window.intervalMs);
  }

  get all(): readonly TraceVm[] {
    return [...this.#vms.values()];
  }

  /** Adds a VM that runs during the window. One that is already known keeps its first size and start. */
  add(vm: Omit<TraceVm, 'cpu' | 'memory'>): void {
    const { from, durationMs } = this.window;
    if (this.#vms.has(vm.id) || vm.createdAt >= from + durationMs || vm.deletedAt <= from) return;
    if (this.#vms.size < this.#max) this.#vms.set(vm.id, { ...vm });
    else this.omitted++;
  }

  get(id: string): TraceVm | undefined {
    return this.#vms.get(id);
  }

  /** Records the end of a VM. One that ends before the window is not imported. */
  end(id: string, at: number): void {
    const vm = this.#vms.get(id);
    if (vm === undefined) return;
    vm.deletedAt = at;
    if (at <= this.window.from) this.#vms.delete(id);
  }

  /** Records the usage of a VM as fractions of its size. Those of other VMs and times are ignored. */
  measure(id: string, at: number, cpu: number | undefined, memory?: number): void {
    const vm = this.#vms.get(id);
    const slot = Math.floor((at - this.window.from) / this.window.intervalMs);
    if (vm === undefined || slot < 0 || slot >= this.#slots) return;
    if (cpu !== undefined) (vm.cpu ??= new Series(this.#slots)).add(slot, cpu);
    if (memory !== undefined) (vm.memory ??= new Series(this.#slots)).add(slot, Math.min(1, memory));
  }
}
