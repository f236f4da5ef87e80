import { describe, expect, it } from 'vitest';
import type { PowerRequest, RestartPolicy, Restarts } from './dialect.ts';
import { at, desiredVm, type InstanceTraits, instanceLike, NOW, recordedState } from './instance.fixture.ts';
import { planVm, shouldStart } from './plan-vm.ts';
import { type EndObservation, restartsAfter } from './restarts.ts';

const policy = (more: Partial<RestartPolicy> = {}): RestartPolicy => ({
  when: 'always',
  delayMs: 30_000,
  max: 3,
  windowMs: 600_000,
  words: 'nobody asked for more',
  ...more,
});
const seen = (looks: InstanceTraits | undefined, more: Partial<EndObservation> = {}): EndObservation => ({
  policy: policy(),
  instance: looks && instanceLike(looks),
  requests: [],
  changed: false,
  now: NOW,
  ...more,
});
const CRASH: InstanceTraits = { phase: 'Failed', reason: 'GuestCrashed', message: 'kernel panic' };
const OFF: InstanceTraits = { phase: 'Succeeded', reason: 'GuestShutdown', message: 'the guest shut down' };
const LOST: InstanceTraits = { phase: 'Failed', reason: 'NodeLost', message: 'node n1 is silent' };
const START: readonly PowerRequest[] = [{ action: 'Start' }];
const record = (more: Partial<Restarts> = {}): Restarts => ({
  total: 2,
  inRow: 2,
  lastInstance: 'i0',
  message: 'x',
  ...more,
});

describe('a VM that terminated by itself', () => {
  it.each<[string, InstanceTraits, Partial<RestartPolicy>, Restarts | undefined, Partial<Restarts>]>([
    ['is restarted after the delay', CRASH, {}, undefined, { total: 1, inRow: 1, retryAfter: at(30) }],
    ['is restarted even if its guest shut down', OFF, {}, undefined, { total: 1, inRow: 1, retryAfter: at(30) }],
    ['stays stopped after a guest shutdown', OFF, { when: 'onFailure' }, undefined, { gaveUp: 'NotRestarted' }],
    ['is restarted after a failure', CRASH, { when: 'onFailure' }, undefined, { total: 1, inRow: 1 }],
    [
      'stays stopped without restarts',
      CRASH,
      { when: 'never' },
      undefined,
      { total: 0, inRow: 0, gaveUp: 'NotRestarted' },
    ],
    ['stays stopped after the loss of its node', LOST, { when: 'never' }, undefined, { gaveUp: 'NotRestarted' }],
    ['counts restarts', CRASH, {}, record(), { total: 3, inRow: 3 }],
    [
      'stays stopped after too many restarts',
      CRASH,
      {},
      record({ inRow: 3 }),
      { total: 2, gaveUp: 'RestartsExhausted' },
    ],
    ['stays stopped if the maximum is 0', CRASH, { max: 0 }, undefined, { gaveUp: 'RestartsExhausted' }],
    [
      'starts counting again after a long run',
      { ...CRASH, ranSeconds: 600 },
      {},
      record({ inRow: 3 }),
      { inRow: 1, total: 3 },
    ],
    [
      'keeps counting after a short run',
      { ...CRASH, ranSeconds: 599 },
      {},
      record({ inRow: 3 }),
      { gaveUp: 'RestartsExhausted' },
    ],
    [
      'starts on another node at once, whatever the count',
      LOST,
      {},
      record({ inRow: 3 }),
      { total: 3, inRow: 3, retryAfter: at(0) },
    ],
  ])('%s: %j', (_what, looks, more, before, expected) => {
    const found = restartsAfter(before, seen(looks, { policy: policy(more) }));
    expect(found).toMatchObject({ ...expected, lastInstance: 'i1' });
    expect(found?.gaveUp).toBe(expected.gaveUp);
    expect(restartsAfter(found, seen(looks, { policy: policy(more), now: NOW + 5000 }))).toEqual(found);
  });

  it.each<[string, InstanceTraits | undefined, Restarts | undefined]>([
    ['runs', {}, undefined],
    ['runs again', {}, record()],
    ['never ran', { phase: 'Failed', ran: false }, undefined],
    ['was deleted', { phase: 'Failed', terminating: true }, undefined],
    ['has no instance', undefined, record({ gaveUp: 'NotRestarted' })],
  ])('is left alone if it %s', (_what, looks, before) => {
    expect(restartsAfter(before, seen(looks))).toEqual(before);
  });

  it('starts counting again when it is started on request, or changed after too many restarts', () => {
    const exhausted = record({ gaveUp: 'RestartsExhausted' });
    expect(restartsAfter(exhausted, seen(undefined, { requests: START }))).toBeUndefined();
    expect(restartsAfter(exhausted, seen(CRASH, { requests: START }))).toBeUndefined();
    expect(restartsAfter(exhausted, seen(undefined, { changed: true }))).toBeUndefined();
    const off = record({ gaveUp: 'NotRestarted' });
    expect(restartsAfter(off, seen(undefined, { changed: true }))).toEqual(off);
    expect(restartsAfter(record(), seen({}, { requests: START }))).toEqual(record());
  });

  it('reports the decision, and the reason', () => {
    const said = (looks: InstanceTraits, more: Partial<RestartPolicy>, before?: Restarts) =>
      restartsAfter(before, seen(looks, { policy: policy(more) }))?.message;
    expect(said(CRASH, {})).toBe('the VM terminated: GuestCrashed, kernel panic; restarting in 30s (1/3)');
    expect(said(OFF, { when: 'never' })).toBe(
      'the VM terminated: GuestShutdown, the guest shut down; not restarting: nobody asked for more',
    );
    expect(said(CRASH, { max: 1 }, record())).toBe(
      'the VM terminated: GuestCrashed, kernel panic; the only allowed restart failed: it stays stopped until it is started or changed',
    );
    expect(said(CRASH, { max: 0 })).toContain('; no restarts are allowed: it stays stopped');
    expect(said(CRASH, { max: 2 }, record({ inRow: 2 }))).toContain('; 2 consecutive restarts failed: it stays');
  });
});

describe('the action of a restart policy', () => {
  const situation = (looks: InstanceTraits | undefined, restarts: Restarts, now = NOW) => ({
    vm: { uid: 'vm' },
    desired: desiredVm({ restarts: policy() }),
    recorded: recordedState({ restarts }),
    instance: looks && instanceLike(looks),
    changes: { live: undefined, restart: [] },
    now,
  });

  it('is none for a VM that stays stopped, and its instance remains for inspection', () => {
    const off = record({ gaveUp: 'NotRestarted' });
    expect(planVm(situation(OFF, off))).toEqual([]);
    expect(planVm(situation(undefined, off))).toEqual([]);
    expect(shouldStart(desiredVm({ restarts: policy() }), recordedState({ restarts: off }))).toBe(false);
  });

  it('is a delay, and then a start', () => {
    const pause = record({ retryAfter: at(30) });
    expect(planVm(situation(CRASH, pause))[0]).toMatchObject({ do: 'delete' });
    expect(planVm(situation(undefined, pause))).toEqual([{ do: 'wait', until: NOW + 30_000 }]);
    expect(planVm(situation(undefined, pause, NOW + 30_000))).toEqual([{ do: 'create', paused: false }]);
  });
});
