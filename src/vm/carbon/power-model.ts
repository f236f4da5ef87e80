/**
 * How much power a machine takes, as an estimate: what its virtual CPUs take idle and fully used, its memory, and what
 * the building takes on top. The usual figures are averages over the servers of large clouds: 0.74 W for an idle vCPU,
 * 3.5 W for a busy one, 0.392 W for a GiB of memory, and 1.2 as power usage effectiveness.
 */
export interface PowerModel {
  readonly idleWattsPerCpu: number;
  readonly busyWattsPerCpu: number;
  readonly wattsPerGib: number;
  /** What the data centre takes for each watt of its servers. */
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
  /** The share of its CPUs that it uses, 0 to 1; half of them where nobody knows. */
  readonly load?: number | undefined;
}

const DEFAULT_LOAD = 0.5;

export function wattsOf({ cpus, memoryGib, load = DEFAULT_LOAD }: PoweredSize, model: PowerModel): number {
  const { idleWattsPerCpu: idle, busyWattsPerCpu: busy, wattsPerGib, pue } = model;
  const used = Math.min(Math.max(load, 0), 1);
  return (cpus * (idle + (busy - idle) * used) + memoryGib * wattsPerGib) * pue;
}

/** Grams that a power emits over a time, with electricity of an intensity in gCO2/kWh. */
export function gramsOf(watts: number, ms: number, intensity: number): number {
  return (watts / 1000) * (ms / 3_600_000) * intensity;
}
