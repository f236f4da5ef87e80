import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_STRATEGIES, type RunStrategy } from '#api/kubevirt/run-strategy';
import { seededRandom } from '#platform/base/random';
import { startBackOff } from './back-off.ts';
import type { PowerRequest, RecordedState } from './dialect.ts';
import { at, type InstanceTraits, instanceLike, NOW, recordedState } from './instance.fixture.ts';
import { nextRecordedState } from './recorded-state.ts';

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
    ['to stop stands while the instance is there', 'Manual', {}, [stop], [stop]],
    ['to stop stands while the instance is going', 'Manual', { terminating: true }, [stop], [stop]],
    ['to stop is done when the instance is gone', 'Manual', undefined, [stop], []],
    ['to stop is done when another instance is there', 'Manual', { uid: 'i2' }, [stop], []],
    ['to start stands while there is no instance', 'Manual', undefined, [start], [start]],
    ['to start stands while the last instance is going', 'Manual', { terminating: true }, [start], [start]],
    ['to start is done with an instance', 'Manual', { phase: 'Pending' }, [start], []],
    ['to start is done though the instance has ended since', 'Manual', { phase: 'Succeeded' }, [start], []],
    [
      'to start is done though it has ended, under RerunOnFailure too',
      'RerunOnFailure',
      { phase: 'Succeeded' },
      [start],
      [],
    ],
    ['to restart is half done when the instance is gone', 'Manual', undefined, [stop, start], [start]],
    ['to restart is done when the next instance is there', 'Always', { uid: 'i2' }, [stop, start], []],
    ['that nobody could do is passed over', 'Manual', {}, [{ action: 'Stop' }], []],
  ])('%s', (_what, strategy, looks, before, expected) => {
    expect(after({ requests: before }, strategy, looks).requests).toEqual(expected);
  });

  it('is made by a failure under RerunOnFailure, once', () => {
    const failed = { phase: 'Failed' } as const;
    const { requests } = after({}, 'RerunOnFailure', failed);
    expect(requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure', failed).requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure', { ...failed, terminating: true }).requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure').requests).toEqual([start]);
    expect(after({ requests }, 'RerunOnFailure', { uid: 'i2', phase: 'Pending' }).requests).toEqual([]);
  });

  it('is not made by a failure of what was told to go, nor against a stop', () => {
    expect(after({}, 'RerunOnFailure', { phase: 'Failed', terminating: true }).requests).toEqual([]);
    expect(after({ requests: [stop] }, 'RerunOnFailure', { phase: 'Failed' }).requests).toEqual([stop]);
    for (const strategy of ['Always', 'Halted', 'Manual', 'Once'] as const) {
      expect(after({}, strategy, { phase: 'Failed' }).requests).toEqual([]);
    }
  });
});

describe('the strategy', () => {
  it('is remembered from the first instance on', () => {
    expect(after({}, 'RerunOnFailure').runStrategy).toBeUndefined();
    expect(after({}, 'RerunOnFailure', { phase: 'Pending' }).runStrategy).toBe('RerunOnFailure');
    expect(after({ runStrategy: 'RerunOnFailure' }, 'Halted').runStrategy).toBe('Halted');
  });
});

describe('the end of an instance', () => {
  it.each<[string, InstanceTraits, string]>([
    ['by its guest', { phase: 'Succeeded', reason: 'GuestShutdown' }, 'GuestShutdown'],
    [
      'by its guest, though it is being cleaned up now',
      { phase: 'Succeeded', reason: 'GuestShutdown', terminating: true },
      'GuestShutdown',
    ],
    ['because it was told to', { phase: 'Succeeded', reason: 'Stopped', terminating: true }, 'Stopped'],
    ['because it was told to, where nobody says so', { phase: 'Succeeded', terminating: true }, 'Stopped'],
    ['by its guest, where nobody says so', { phase: 'Succeeded' }, 'GuestShutdown'],
    ['by a crash', { phase: 'Failed', reason: 'GuestCrashed' }, 'Error'],
    ['with its node', { phase: 'Failed', reason: 'NodeLost' }, 'NodeLost'],
    ['with its node, as the node itself says', { phase: 'Failed', reason: 'Fenced' }, 'NodeLost'],
    ['with its node, which was taken away', { phase: 'Failed', reason: 'NodeDeleted' }, 'NodeLost'],
  ])('%s is remembered', (_what, looks, reason) => {
    expect(after({}, 'Always', { ...looks, message: 'so it is' }).lastShutdown).toEqual({
      reason,
      message: 'so it is',
      at: at(-5),
    });
  });

  it('outlives the instance, and those that follow while they run', () => {
    const lastShutdown = { reason: 'Error', message: 'crashed', at: at(-100) } as const;
    expect(after({ lastShutdown }, 'Always').lastShutdown).toEqual(lastShutdown);
    expect(after({ lastShutdown }, 'Always', { phase: 'Running' }).lastShutdown).toEqual(lastShutdown);
  });
});

describe('an instance that ended before it ran', () => {
  const failed = { phase: 'Failed', ran: false } as const;
  it('is counted once, and the next start waits', () => {
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
    ['one that ran', 'Always', { phase: 'Failed', ran: true }],
    ['one that was told to go', 'Always', { phase: 'Succeeded', ran: false, terminating: true }],
    ['one whose node is lost', 'Always', { ...failed, reason: 'NodeLost' }],
    ['one of a machine that is started by hand', 'Manual', failed],
    ['one of a machine that is stopped', 'Halted', failed],
  ])('is not %s', (_what, strategy, looks) => {
    expect(after({}, strategy, looks).startFailure).toBeUndefined();
  });
  it('is like one that its guest ended right after it ran', () => {
    const crashed = { phase: 'Failed', reason: 'GuestCrashed', ranSeconds: 2 } as const;
    const startFailure = { consecutiveFailCount: 4, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(1) };
    expect(after({ startFailure }, 'Always', crashed).startFailure).toMatchObject({ consecutiveFailCount: 5 });
    const done = { phase: 'Succeeded', reason: 'GuestShutdown', ranSeconds: 2 } as const;
    expect(after({}, 'Always', done).startFailure).toMatchObject({ consecutiveFailCount: 1 });
    expect(after({}, 'RerunOnFailure', done).startFailure).toBeUndefined();
    expect(after({}, 'Once', crashed).startFailure).toBeUndefined();
    expect(after({}, 'Always', { ...crashed, reason: 'PodDeleted' }).startFailure).toBeUndefined();
    expect(after({}, 'Always', { ...crashed, ranSeconds: 10 }).startFailure).toBeUndefined();
  });
  it('is forgotten when one has run for a while', () => {
    const startFailure = { consecutiveFailCount: 4, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(1) };
    expect(after({ startFailure }, 'Always', { phase: 'Running', ranSeconds: 2 }).startFailure).toEqual(startFailure);
    expect(after({ startFailure }, 'Always', { phase: 'Scheduled' }).startFailure).toEqual(startFailure);
    expect(after({ startFailure }, 'Always', { phase: 'Running' }).startFailure).toBeUndefined();
    expect(after({ startFailure }, 'Halted').startFailure).toBeUndefined();
  });
});

describe('the wait after failed starts', () => {
  it('is ten seconds times the square of their number, up to half as much again, and at most five minutes', () => {
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

describe('looking again at the same', () => {
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
