/**
 * Estimate of the power of a VM: its virtual CPUs idle and busy, its memory, and the overhead of the data center. The
 * defaults are averages over the servers of large clouds: 0.74 W for an idle vCPU, 3.5 W for a busy one, 0.392 W for a
 * GiB of memory, and a power usage effectiveness of 1.2.
 */
export interface PowerModel {
  readonly idleWattsPerCpu: number;
  readonly busyWattsPerCpu: number;
  readonly wattsPerGib: number;
  /** Power of the data center for each watt of its servers. */
  readonly pue: number;
}

export const DEFAULT_POWER: PowerModel = {
  idleWattsPerCpu: 0.74,
  busyWattsPerCpu: 3.5,
  wattsPerGib: 0.392,
  pue: 1.2,
};

export interface PoweredSize {
  readonly cpus: number;
  readonly memoryGib: number;
  /** Ratio of its CPUs in use, 0 to 1. Defaults to one half. */
  readonly load?: number | undefined;
}

const DEFAULT_LOAD = 0.5;

export function wattsOf({ cpus, memoryGib, load = DEFAULT_LOAD }: PoweredSize, model: PowerModel): number {
  const { idleWattsPerCpu: idle, busyWattsPerCpu: busy, wattsPerGib, pue } = model;
  const used = Math.min(Math.max(load, 0), 1);
  return (cpus * (idle + (busy - idle) * used) + memoryGib * wattsPerGib) * pue;
}

/** Returns the grams emitted by a power over a time, at an intensity in gCO2/kWh. */
export function gramsOf(watts: number, ms: number, intensity: number): number {
  return (watts / 1000) * (ms / 3_600_000) * intensity;
}
