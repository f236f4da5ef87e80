import type { EndReason } from '../machine-driver.ts';
import { STOPPED_BY_KEEPER } from './keeper/keeper-script.ts';

/** Run states of QEMU in which the guest has ended by itself. */
const ENDED_STATES: Readonly<Record<string, { readonly reason: EndReason; readonly message: string }>> = {
  shutdown: { reason: 'GuestShutdown', message: 'the guest shut down' },
  'guest-panicked': { reason: 'Crashed', message: 'the guest kernel panicked' },
  'internal-error': { reason: 'Crashed', message: 'QEMU reported an internal error' },
};

export interface MachineEnd {
  readonly reason: EndReason;
  readonly message: string;
}

/** Returns how a machine has ended by its run state, or undefined if it has not. */
export function endByRunState(runState: string, stopRequested: boolean): MachineEnd | undefined {
  const end = ENDED_STATES[runState];
  if (end?.reason !== 'GuestShutdown' || !stopRequested) return end;
  return { reason: 'Stopped', message: 'the guest shut down on request' };
}

/**
 * Returns how a machine has ended whose QEMU is gone without a recorded reason. `status` is what its keeper recorded,
 * undefined if the keeper was killed as well.
 */
export function endByExitStatus(status: string | undefined, log: string, outOfMemory = false): MachineEnd {
  if (status === 'fenced') return { reason: 'Killed', message: 'it was fenced: the node lost its lease' };
  if (status === STOPPED_BY_KEEPER) return { reason: 'Stopped', message: 'its keeper was asked to terminate' };
  if (status === undefined) return { reason: 'Killed', message: 'its keeper was killed' };
  const code = Number(status);
  if (code === 0 || code === 143) return { reason: 'Killed', message: 'QEMU was asked to terminate' };
  if (code === 137 && outOfMemory) return { reason: 'OutOfMemory', message: 'it used up the memory of its cgroup' };
  if (code === 137) return { reason: 'Killed', message: 'QEMU was killed (signal 9)' };
  const last = log.trim().split('\n').at(-1) ?? '';
  const how = code > 128 ? `QEMU ended by signal ${code - 128}` : `QEMU failed with status ${status}`;
  return { reason: 'Crashed', message: last === '' ? how : `${how}: ${last}` };
}
