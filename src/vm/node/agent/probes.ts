import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { Machine } from '../machine-driver.ts';

type Probe = NonNullable<InstanceSpec['readinessProbe']>;

/** Result of the probes of a machine, and when it may change without any event. */
export interface ProbeResult {
  readonly ready: boolean;
  readonly unhealthy: boolean;
  /** Time since when the liveness probe has failed. */
  readonly unhealthySince?: number;
  readonly again?: number;
}

export interface ProbedMachine {
  readonly spec: Pick<InstanceSpec, 'readinessProbe' | 'livenessProbe'>;
  readonly machine: Machine;
  /** Results of the probes once they run. */
  readonly answers: { readonly ready: boolean; readonly alive: boolean };
  readonly unhealthySince: number | undefined;
}

const DEFAULT_PERIOD = 10;
const DEFAULT_FAILURES = 3;

/** Computes the result that probes would have by now, without running each of them. */
export function probe({ spec, machine, answers, unhealthySince }: ProbedMachine, now: number): ProbeResult {
  const { readinessProbe, livenessProbe } = spec;
  const answering = machine.state === 'running' && machine.booted;
  const readyAt = firstProbe(readinessProbe, machine);
  const ready = readinessProbe === undefined || (answers.ready && answering && now >= readyAt);
  const readyLater = readinessProbe !== undefined && answers.ready && answering && now < readyAt ? readyAt : undefined;
  // A paused guest is not probed.
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

/** Returns the time from the first failed probe to the last tolerated one. */
function failureTimeMs({ periodSeconds, failureThreshold }: Probe): number {
  const period = (periodSeconds || DEFAULT_PERIOD) * 1000;
  return period * ((failureThreshold || DEFAULT_FAILURES) - 1);
}
