import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import { tryParseQuantity } from '#platform/base/quantity';
import { gramsOf, type PowerModel, wattsOf } from './power-model.ts';

/** Emissions of a VM, as far as its status shows them. */
export interface Emissions {
  readonly zone: string | undefined;
  /** Power of the VM. 0 while it does not run. */
  readonly watts: number;
  /** Intensity in gCO2/kWh. */
  readonly intensity: number | undefined;
  readonly runningMs: number;
  /** Emissions of the whole run at the intensity in the status. */
  readonly grams: number | undefined;
  readonly waitedMs: number;
  /** Savings by the wait: for as long as it lasted, compared to the intensity when it began. */
  readonly savedGrams: number;
}

const GIB = 2n ** 30n;
const NANO = 1_000_000_000n;

/** Estimates the emissions of a VM since its last start, and the savings by its wait for clean electricity. */
export function emissionsOf({ spec, status }: VirtualMachine, power: PowerModel, now: number): Emissions {
  const { carbon, carbonIntensity, startTime, phase } = status ?? {};
  const isRunning = phase === 'Running' || phase === 'Migrating' || phase === 'Paused';
  const runningMs = isRunning && startTime !== undefined ? Math.max(now - Date.parse(startTime), 0) : 0;
  const size = { cpus: spec.cpus, memoryGib: gibOf(spec.memory) };
  const watts = isRunning ? wattsOf({ ...size, load: loadOf(status) }, power) : 0;
  const waitedMs = waitOf(carbon, now);
  return {
    zone: carbon?.zone ?? spec.carbonAware?.zone,
    watts,
    intensity: carbonIntensity,
    runningMs,
    grams: carbonIntensity === undefined ? undefined : gramsOf(watts, runningMs, carbonIntensity),
    waitedMs,
    savedGrams: savedOf(carbon, watts, Math.min(runningMs, waitedMs)),
  };
}

type Status = NonNullable<VirtualMachine['status']>;

function waitOf(carbon: Status['carbon'], now: number): number {
  const { waitingSince, startedAt } = carbon ?? {};
  if (waitingSince === undefined) return 0;
  return Math.max((startedAt === undefined ? now : Date.parse(startedAt)) - Date.parse(waitingSince), 0);
}

function savedOf(carbon: Status['carbon'], watts: number, ms: number): number {
  const { intensityWhenAsked: before, intensityAtStart: then, startedAt } = carbon ?? {};
  if (before === undefined || then === undefined || startedAt === undefined) return 0;
  return gramsOf(watts, ms, before) - gramsOf(watts, ms, then);
}

/** Parses the ratio of its CPUs that a VM reports as used: 45%. */
function loadOf(status: Status | undefined): number | undefined {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(status?.resources?.cpu?.usage ?? '') ?? [];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** Returns memory in GiB, to three decimals. */
export function gibOf(memory: string | number): number {
  const nano = tryParseQuantity(memory)?.nano ?? 0n;
  return Number((nano * 1000n) / (NANO * GIB)) / 1000;
}
