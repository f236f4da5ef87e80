import { TemporaryError } from '#platform/base/errors';
import { formatQuantity, quantityOf } from '#platform/base/quantity';
import type { HostMachine } from './host-machines.ts';

const RETRY_MS = 10_000;

/** Returns whether a host has room for machines, in the order in which they were started, up to a given one. */
export function fitsHost(machines: readonly HostMachine[], capacityBytes: number, last?: number): boolean {
  const ordered = machines.toSorted((a, b) => a.startedAt - b.startedAt || a.pid - b.pid);
  const end = last === undefined ? ordered.length : ordered.findIndex(({ pid }) => pid === last) + 1;
  return memoryOf(ordered.slice(0, end)) <= capacityBytes;
}

const memoryOf = (machines: readonly HostMachine[]) => machines.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);

/** Returns the error for a machine that must wait until others on the host have ended. */
export function hostFullError(machines: readonly HostMachine[], capacityBytes: number): TemporaryError {
  const text = (bytes: number) => formatQuantity(quantityOf(bytes, 'BinarySI'));
  const mebibytes = (bytes: number) => text(Math.ceil(bytes / 2 ** 20) * 2 ** 20);
  return new TemporaryError(
    `the memory of this host is used up by its ${machines.length} machines, also those of other instances of Vimana: ` +
      `${mebibytes(memoryOf(machines))} of ${mebibytes(capacityBytes)}`,
    { retryAfterMs: RETRY_MS },
  );
}
