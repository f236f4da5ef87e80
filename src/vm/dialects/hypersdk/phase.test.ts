import { describe, expect, it } from 'vitest';
import type { ObservedVm } from '#vm/engine/dialect';
import { at, type InstanceTraits, instanceLike, recordedState } from '#vm/engine/instance.fixture';
import { hypersdk } from './dialect.ts';
import { report, vmLike } from './vm.fixture.ts';

describe('the phase', () => {
  const moving = (migrationState: object) => {
    const instance = instanceLike();
    return { instance: { ...instance, status: { ...instance.status, migrationState } } as ObservedVm['instance'] };
  };
  const restarts = { total: 1, inRow: 1, lastInstance: 'i1', message: 'x' };
  const gaveUp = (why: 'NotRestarted' | 'RestartsExhausted', reason: 'Error' | 'GuestShutdown') => ({
    recorded: recordedState({
      restarts: { ...restarts, gaveUp: why },
      lastShutdown: { reason, message: '', at: at(-5) },
    }),
  });
  const stuck = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] as const;
  it.each<[string, InstanceTraits | undefined, Partial<ObservedVm>, boolean?]>([
    ['Pending', undefined, {}],
    ['Creating', { phase: 'Pending' }, {}],
    ['Creating', { phase: 'Scheduling' }, {}],
    ['Creating', { phase: 'Scheduled' }, {}],
    ['Pending', { phase: 'Scheduling', conditions: stuck }, {}],
    ['Running', {}, {}],
    ['Running', { terminating: true }, {}],
    ['Paused', { conditions: [{ type: 'Paused', status: 'True' }] }, {}],
    ['Migrating', undefined, moving({ startTimestamp: at(-1) })],
    ['Running', undefined, moving({ startTimestamp: at(-1), completed: true })],
    ['Running', undefined, moving({ startTimestamp: at(-1), failed: true })],
    ['Unknown', { phase: 'Unknown' }, {}],
    ['Stopped', undefined, {}, false],
    ['Running', {}, {}, false],
    ['Stopped', { phase: 'Failed' }, {}, false],
    ['Stopped', { phase: 'Succeeded' }, gaveUp('NotRestarted', 'GuestShutdown')],
    ['Failed', { phase: 'Failed' }, gaveUp('NotRestarted', 'Error')],
    ['Failed', undefined, gaveUp('RestartsExhausted', 'GuestShutdown')],
    ['Pending', undefined, { recorded: recordedState({ restarts: { ...restarts, retryAfter: at(5) } }) }],
    ['Failed', undefined, { problem: { reason: 'FailedCreate', message: 'no' } }],
  ])('is %s for %j with %j', (expected, looks, more, running = true) => {
    const status = report(vmLike({ running }), looks, more);
    expect(status.phase).toBe(expected);
    expect(hypersdk.phase(vmLike({ running }, status))).toBe(expected);
  });

  it('is Pending while the VM waits for a dependency', () => {
    const status = report(vmLike({ image: { templateRef: { name: 't' } } }), undefined, {}, { template: 'missing' });
    expect(status.phase).toBe('Pending');
    expect(hypersdk.phase(vmLike())).toBe('Pending');
  });
});
