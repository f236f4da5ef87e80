import type { ViewedNode } from '../engine/scenario-view.ts';
import { roundTo6 } from './sample.ts';

/** Objectives, beyond which VMs are impaired. */
export interface Slo {
  /** Ratios of a node. */
  readonly cpu: number;
  readonly memory: number;
}

export type SloKind = 'cpu' | 'memory' | 'placement';

/** Period in which an SLO was violated. */
export interface Violation {
  readonly from: number;
  readonly to: number;
  readonly slo: SloKind;
  /** Node of the violation. '' if VMs waited for one. */
  readonly node: string;
  /** Worst observed value: a ratio of the node, or the number of waiting VMs. */
  readonly peak: number;
  /** Sum of the affected VMs times the duration, in seconds. */
  readonly vm_seconds: number;
}

interface Open {
  readonly from: number;
  readonly slo: SloKind;
  readonly node: string;
  to: number;
  peak: number;
  vmSeconds: number;
}

/** Tracks which SLOs are violated. Between two samples, the state counts as that of the later one. */
export class Violations {
  readonly #slo: Slo;
  readonly #onEnd: (violation: Violation) => void;
  readonly #open = new Map<string, Open>();
  #last = 0;

  constructor(slo: Slo, onEnd: (violation: Violation) => void) {
    this.#slo = slo;
    this.#onEnd = onEnd;
  }

  check(t: number, nodes: readonly ViewedNode[], pending: number): void {
    const broken = new Set<string>();
    for (const { name, up, cpuUsage, memoryUsage, vmCount } of nodes) {
      if (!up) continue;
      if (cpuUsage > this.#slo.cpu) this.#break(broken, t, 'cpu', name, cpuUsage, vmCount);
      if (memoryUsage > this.#slo.memory) this.#break(broken, t, 'memory', name, memoryUsage, vmCount);
    }
    if (pending > 0) this.#break(broken, t, 'placement', '', pending, pending);
    for (const key of [...this.#open.keys()]) if (!broken.has(key)) this.#close(key);
    this.#last = t;
  }

  /** Ends all open violations at the end of the run. */
  finish(): void {
    for (const key of [...this.#open.keys()]) this.#close(key);
  }

  #break(broken: Set<string>, t: number, slo: SloKind, node: string, value: number, vms: number): void {
    const key = `${slo} ${node}`;
    broken.add(key);
    const open = this.#open.get(key) ?? { from: this.#last, slo, node, to: t, peak: 0, vmSeconds: 0 };
    this.#open.set(key, open);
    open.to = t;
    open.peak = Math.max(open.peak, value);
    open.vmSeconds += vms * (t - this.#last);
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    const { from, to, slo, node, peak, vmSeconds } = open;
    this.#onEnd({ from, to, slo, node, peak: roundTo6(peak), vm_seconds: roundTo6(vmSeconds) });
  }
}
