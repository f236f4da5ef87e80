import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { Machine } from '../machine-driver.ts';

type Probe = NonNullable<InstanceSpec['readinessProbe']>;

/** What probes say of a machine, and when they may say something else though nothing happens. */
export interface ProbeResult {
  readonly ready: boolean;
  readonly unhealthy: boolean;
  /** Since when the liveness probe has failed. */
  readonly unhealthySince?: number;
  readonly again?: number;
}

export interface ProbedMachine {
  readonly spec: Pick<InstanceSpec, 'readinessProbe' | 'livenessProbe'>;
  readonly machine: Machine;
  /** What the probes answer, once they are made. */
  readonly answers: { readonly ready: boolean; readonly alive: boolean };
  readonly unhealthySince: number | undefined;
}

const DEFAULT_PERIOD = 10;
const DEFAULT_FAILURES = 3;

/** Works out what probes would have found by now, without making them one by one. */
export function probe({ spec, machine, answers, unhealthySince }: ProbedMachine, now: number): ProbeResult {
  const { readinessProbe, livenessProbe } = spec;
  const answering = machine.state === 'running' && machine.booted;
  const readyAt = firstProbe(readinessProbe, machine);
  const ready = readinessProbe === undefined || (answers.ready && answering && now >= readyAt);
  const readyLater = readinessProbe !== undefined && answers.ready && answering && now < readyAt ? readyAt : undefined;
  // A guest that stands still is not asked.
  if (livenessProbe === undefined || answers.alive || machine.state !== 'running') {
    return { ready, unhealthy: false, ...(readyLater === undefined ? {} : { again: readyLater }) };
  }
  const since = unhealthySince ?? Math.max(now, firstProbe(livenessProbe, machine));
  const dies = since + failureTimeMs(livenessProbe);
  const again = Math.min(dies, readyLater ?? dies);
  return { ready, unhealthy: now >= dies, unhealthySince: since, ...(now >= dies ? {} : { again }) };
}

function firstProbe(given: Probe | undefined, { startedAt }: Machine): number {
  return startedAt + (given?.initialDelaySeconds ?? 0) * 1000;
}

/** From the first failed probe to the last that is put up with. */
function failureTimeMs({ periodSeconds, failureThreshold }: Probe): number {
  const period = (periodSeconds || DEFAULT_PERIOD) * 1000;
  return period * ((failureThreshold || DEFAULT_FAILURES) - 1);
}
