import { describe, expect, it } from 'vitest';
import { endByExitStatus, endByRunState } from './exit-reason.ts';

describe('the reason why a machine ended', () => {
  it.each([
    ['running', false, undefined],
    ['prelaunch', false, undefined],
    ['io-error', false, undefined],
    ['shutdown', false, 'GuestShutdown'],
    ['shutdown', true, 'Stopped'],
    ['guest-panicked', true, 'Crashed'],
    ['internal-error', false, 'Crashed'],
  ] as const)('follows from the run state %s (stop requested: %s)', (state, requested, reason) => {
    expect(endByRunState(state, requested)?.reason).toBe(reason);
  });

  it.each([
    ['fenced', '', 'Killed', 'it was fenced: the node lost its lease'],
    [undefined, '', 'Killed', 'its keeper was killed'],
    ['0', '', 'Killed', 'QEMU was asked to terminate'],
    ['143', 'x', 'Killed', 'QEMU was asked to terminate'],
    ['137', '', 'Killed', 'QEMU was killed (signal 9)'],
    ['139', '', 'Crashed', 'QEMU ended by signal 11'],
    ['1', 'first\nno such disk\n', 'Crashed', 'QEMU failed with status 1: no such disk'],
  ] as const)('follows from the exit status %s', (status, log, reason, message) => {
    expect(endByExitStatus(status, log)).toEqual({ reason, message });
  });
});
