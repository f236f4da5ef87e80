import { expect, it } from 'vitest';
import { TemporaryError } from '#platform/base/errors';
import { MachineStartError } from '../machine-driver.ts';
import { NotSupportedError } from '../not-supported-error.ts';
import { actionFailureOf } from './action-failure.ts';

it('reports what the user must know, with its remedy, and when to try again', () => {
  expect(actionFailureOf(new NotSupportedError('qemu', 'UEFI'))).toEqual({
    waiting: { reason: 'NotSupported', message: 'UEFI is not supported by the qemu driver' },
    retryAfterMs: 300_000,
  });
  expect(actionFailureOf(new MachineStartError('image x not found', { hint: 'Build it' }))).toEqual({
    waiting: { reason: 'SyncFailed', message: 'image x not found. Build it' },
    retryAfterMs: 10_000,
  });
});

it('leaves other errors to the queue, which retries them', () => {
  const error = new TemporaryError('busy');
  expect(() => actionFailureOf(error)).toThrow(error);
});
