import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_STRATEGIES, type RunStrategy } from '#api/kubevirt/run-strategy';
import { seededRandom } from '#platform/base/random';
import { startBackOff } from './back-off.ts';
import type { PowerRequest, RecordedState } from './dialect.ts';
import { at, type InstanceTraits, instanceLike, NOW, recordedState } from './instance.fixture.ts';
import { isRecorded, nextRecordedState } from './recorded-state.ts';

const random = seededRandom('memory');
const after = (before: Partial<RecordedState>, runStrategy: RunStrategy, looks?: InstanceTraits) =>
  nextRecordedState(recordedState(before), {
    generation: 1,
    runStrategy,
    instance: looks && instanceLike(looks),
    now: NOW,
    random,
  });

const start: PowerRequest = { action: 'Start' };
const stop: PowerRequest = { action: 'Stop', uid: 'i1' };

describe('a request', () => {
  it.each<[string, RunStrategy, InstanceTraits | undefined, readonly PowerRequest[], readonly PowerRequest[]]>([
    ['to stop is pending while the instance exists', 'Manual', {}, [stop], [stop]],
    ['to stop is pending while the instance is terminating', 'Manual', { terminating: true }, [stop], [stop]],
    ['to stop is done when the instance is deleted', 'Manual', undefined, [stop], []],
    ['to stop is done when another instance exists', 'Manual', { uid: 'i2' }, [stop], []],
    ['to start is pending while there is no instance', 'Manual', undefined, [start], [start]],
    ['to start is pending while the last instance is terminating', 'Manual', { terminating: true }, [start], [start]],
    ['to start is done when there is an instance', 'Manual', { phase: 'Pending' }, [start], []],
    ['to start is done even if the instance has terminated since', 'Manual', { phase: 'Succeeded' }, [start], []],
    [
      'to start is done even if the instance has terminated, also under RerunOnFailure',
      'RerunOnFailure',
      { phase: 'Succeeded' },
      [start],
      [],
    ],
    ['to restart is half done when the instance is deleted', 'Manual', undefined, [stop, start], [start]],
    ['to restart is done when the next instance exists', 'Always', { uid: 'i2' }, [stop, start], []],
    ['that is impossible is dropped', 'Manual', {}, [{ action: 'Stop' }], []],
  ])('%s', (_what, strategy, looks, before, expected) => {
    expect(after({ requests: before }, strategy, looks).requests).toEqual(expected);
  });

  it('is created by a failure with RerunOnFailure, once', () => {
    const failed = { phase: 'Failed' } as const;
    const { requests } = after({}, 'RerunOnFailure', failed);
    expect(requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure', failed).requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure', { ...failed, terminating: true }).requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure').requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure', { uid: 'i2', phase: 'Pending' }).requests).toEqual([]);
  });

  it('is not created by a failure of a terminating instance, nor against a stop', () => {
    expect(after({}, 'RerunOnFailure', { phase: 'Failed', terminating: true }).requests).toEqual([]);
    expect(after({ requests: [stop] }, 'RerunOnFailure', { phase: 'Failed' }).requests).toEqual([stop]);
    for (const strategy of ['Always', 'Halted', 'Manual', 'Once'] as const) {
      expect(after({}, strategy, { phase: 'Failed' }).requests).toEqual([]);
    }
  });
});

describe('the strategy', () => {
  it('is recorded from the first instance on', () => {
    expect(after({}, 'RerunOnFailure').runStrategy).toBeUndefined();
    expect(after({}, 'RerunOnFailure', { phase: 'Pending' }).runStrategy).toBe('RerunOnFailure');
    expect(after({ runStrategy: 'RerunOnFailure' }, 'Halted').runStrategy).toBe('Halted');
  });

  it.each<[string, RunStrategy, InstanceTraits | undefined, RunStrategy]>([
    ['stays recorded until RerunOnFailure has started the VM', 'Halted', undefined, 'Halted'],
    ['stays recorded while the instance that it stopped ends', 'Halted', { terminating: true }, 'Halted'],
    ['is replaced once RerunOnFailure has an instance', 'Halted', { phase: 'Pending' }, 'RerunOnFailure'],
    [
      'is replaced if the instance that ends was started under RerunOnFailure',
      'Halted',
      { terminating: true, annotations: { 'kubevirt.io/vm-generation': '1' } },
      'RerunOnFailure',
    ],
    ['stays recorded after a run under RerunOnFailure', 'RerunOnFailure', undefined, 'RerunOnFailure'],
  ])('%s', (_what, runStrategy, looks, expected) => {
    expect(after({ runStrategy }, 'RerunOnFailure', looks).runStrategy).toBe(expected);
  });

  it('must be recorded before the instance is deleted if RerunOnFailure depends on it', () => {
    const of = (runStrategy: RunStrategy) => recordedState({ runStrategy });
    expect(isRecorded(of('Halted'), of('RerunOnFailure'))).toBe(false);
    expect(isRecorded(of('Halted'), of('Always'))).toBe(true);
  });
});

describe('the end of an instance', () => {
  it.each<[string, InstanceTraits, string]>([
    ['by its guest', { phase: 'Succeeded', reason: 'GuestShutdown' }, 'GuestShutdown'],
    [
      'by its guest, even if it is terminating now',
      { phase: 'Succeeded', reason: 'GuestShutdown', terminating: true },
      'GuestShutdown',
    ],
    ['on request', { phase: 'Succeeded', reason: 'Stopped', terminating: true }, 'Stopped'],
    ['on request, without a reported reason', { phase: 'Succeeded', terminating: true }, 'Stopped'],
    ['by its guest, without a reported reason', { phase: 'Succeeded' }, 'GuestShutdown'],
    ['by a crash', { phase: 'Failed', reason: 'GuestCrashed' }, 'Error'],
    ['with its node', { phase: 'Failed', reason: 'NodeLost' }, 'NodeLost'],
    ['with its node, as the node reports', { phase: 'Failed', reason: 'Fenced' }, 'NodeLost'],
    ['with its node, which was deleted', { phase: 'Failed', reason: 'NodeDeleted' }, 'NodeLost'],
  ])('%s is recorded', (_what, looks, reason) => {
    expect(after({}, 'Always', { ...looks, message: 'so it is' }).lastShutdown).toEqual({
      reason,
      message: 'so it is',
      at: at(-5),
    });
  });

  it('is kept after the instance was deleted, and while later ones run', () => {
    const lastShutdown = { reason: 'Error', message: 'crashed', at: at(-100) } as const;
    expect(after({ lastShutdown }, 'Always').lastShutdown).toEqual(lastShutdown);
    expect(after({ lastShutdown }, 'Always', { phase: 'Running' }).lastShutdown).toEqual(lastShutdown);
  });
});

describe('a failed start', () => {
  const failed = { phase: 'Failed', ran: false } as const;
  it('is counted once, and delays the next one', () => {
    const { startFailure } = after({}, 'Always', failed);
    expect(startFailure).toMatchObject({ consecutiveFailCount: 1, lastFailedVMIUID: 'i1' });
    const wait = Date.parse(startFailure?.retryAfterTimestamp ?? '') - NOW;
    expect(wait).toBeGreaterThanOrEqual(10_000);
    expect(wait).toBeLessThanOrEqual(16_000);
    const before = startFailure === undefined ? {} : { startFailure };
    expect(after(before, 'Always', failed).startFailure).toEqual(startFailure);
    expect(after(before, 'Always').startFailure).toEqual(startFailure);
    expect(after(before, 'Always', { ...failed, uid: 'i2' }).startFailure).toMatchObject({ consecutiveFailCount: 2 });
  });
  it.each<[string, RunStrategy, InstanceTraits]>([
    ['that of an instance that ran', 'Always', { phase: 'Failed', ran: true }],
    ['that of an instance that was deleted', 'Always', { phase: 'Succeeded', ran: false, terminating: true }],
    ['that of an instance whose node was lost', 'Always', { ...failed, reason: 'NodeLost' }],
    ['that of a VM with the strategy Manual', 'Manual', failed],
    ['that of a VM with the strategy Halted', 'Halted', failed],
  ])('is not %s', (_what, strategy, looks) => {
    expect(after({}, strategy, looks).startFailure).toBeUndefined();
  });
  it('includes a guest that shut down right after its start', () => {
    const crashed = { phase: 'Failed', reason: 'GuestCrashed', ranSeconds: 2 } as const;
    const startFailure = { consecutiveFailCount: 4, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(1) };
    expect(after({ startFailure }, 'Always', crashed).startFailure).toMatchObject({ consecutiveFailCount: 5 });
    const done = { phase: 'Succeeded', reason: 'GuestShutdown', ranSeconds: 2 } as const;
    expect(after({}, 'Always', done).startFailure).toMatchObject({ consecutiveFailCount: 1 });
    expect(after({}, 'RerunOnFailure', done).startFailure).toBeUndefined();
    expect(after({}, 'Once', crashed).startFailure).toBeUndefined();
    expect(after({}, 'Always', { ...crashed, reason: 'PodDeleted' }).startFailure).toBeUndefined();
    expect(after({}, 'Always', { ...done, ranSeconds: 10 }).startFailure).toBeUndefined();
  });
  it.each([10, 60, 299])('includes a crash %d seconds after the start', (ranSeconds) => {
    const crashed = { phase: 'Failed', reason: 'GuestCrashed', ranSeconds } as const;
    const { startFailure } = after({}, 'Always', crashed);
    expect(startFailure).toMatchObject({ consecutiveFailCount: 1 });
    const again = after(startFailure === undefined ? {} : { startFailure }, 'Always', { ...crashed, uid: 'i2' });
    expect(again.startFailure).toMatchObject({ consecutiveFailCount: 2 });
    expect(Date.parse(again.startFailure?.retryAfterTimestamp ?? '') - NOW).toBeGreaterThanOrEqual(40_000);
  });
  it('is not a crash after five minutes', () => {
    const crashed = { phase: 'Failed', reason: 'GuestCrashed', ranSeconds: 300 } as const;
    expect(after({}, 'Always', crashed).startFailure).toBeUndefined();
  });
  it('is forgotten after an instance has run for a while', () => {
    const startFailure = { consecutiveFailCount: 4, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(1) };
    expect(after({ startFailure }, 'Always', { phase: 'Running', ranSeconds: 2 }).startFailure).toEqual(startFailure);
    expect(after({ startFailure }, 'Always', { phase: 'Scheduled' }).startFailure).toEqual(startFailure);
    // The instance of the fixture has run for five seconds more by now.
    expect(after({ startFailure }, 'Always', { phase: 'Running', ranSeconds: 294 }).startFailure).toEqual(startFailure);
    expect(after({ startFailure }, 'Always', { phase: 'Running', ranSeconds: 295 }).startFailure).toBeUndefined();
    expect(after({ startFailure }, 'Halted').startFailure).toBeUndefined();
  });
});

describe('the back-off after failed starts', () => {
  it('is ten seconds times the square of their number, up to 50 % more, and at most five minutes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.string(), (failures, seed) => {
        const seconds = startBackOff(failures, seededRandom(seed)) / 1000;
        const min = 10 * failures ** 2;
        expect(seconds).toBeGreaterThanOrEqual(Math.min(min, 300));
        expect(seconds).toBeLessThanOrEqual(Math.min(min * 1.5, 300));
      }),
    );
  });
});

describe('repeated observation of the same state', () => {
  it('changes nothing', () => {
    const request = fc.oneof(
      fc.constant<PowerRequest>(start),
      fc.constantFrom('i1', 'i2').map((uid): PowerRequest => ({ action: 'Stop', uid })),
    );
    const looks = fc.record({
      uid: fc.constantFrom('i1', 'i2'),
      phase: fc.constantFrom('Pending', 'Scheduled', 'Running', 'Succeeded', 'Failed'),
      ran: fc.boolean(),
      terminating: fc.boolean(),
      reason: fc.constantFrom('Stopped', 'NodeLost', 'GuestCrashed'),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...RUN_STRATEGIES),
        fc.option(looks, { nil: undefined }),
        fc.array(request, { maxLength: 4 }),
        (strategy, seen, requests) => {
          const once = after({ requests }, strategy, seen);
          expect(after(once, strategy, seen)).toEqual(once);
        },
      ),
    );
  });
});
