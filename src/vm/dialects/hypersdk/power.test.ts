import { describe, expect, it } from 'vitest';
import type { PowerAction, PowerOptions } from '#vm/engine/dialect';
import { type InstanceTraits, instanceLike } from '#vm/engine/instance.fixture';
import { hypersdk } from './dialect.ts';
import { type Status, vmLike } from './vm.fixture.ts';

describe('a request', () => {
  const STOP = { action: 'Stop', uid: 'i1' };
  const START = { action: 'Start' };
  const PAUSED = { action: 'Start', data: { paused: 'true' } };
  const restarts = { inRow: 1, lastInstance: 'i1', message: '', gaveUp: 'NotRestarted' } as const;
  const already = { conflict: 'VM is already running' };
  const off = { conflict: 'VM is not running' };
  const underway = { conflict: 'unable to complete request: stop/start already underway' };
  it.each<[PowerAction, boolean, InstanceTraits | undefined, PowerOptions, Status, object]>([
    ['start', false, undefined, {}, {}, { spec: { running: true } }],
    ['start', false, undefined, { paused: true }, {}, { spec: { running: true }, requests: [PAUSED] }],
    ['start', true, {}, {}, {}, already],
    ['start', true, undefined, {}, {}, already],
    ['start', true, { phase: 'Failed' }, {}, { restarts }, { requests: [STOP, START] }],
    ['start', true, undefined, {}, { restarts }, { requests: [START] }],
    ['start', true, undefined, {}, { restarts, stateChangeRequests: [{ action: 'Start' }] }, underway],
    ['stop', true, {}, {}, {}, { spec: { running: false } }],
    ['stop', true, {}, { gracePeriodSeconds: 0 }, {}, { spec: { running: false }, gracePeriodSeconds: 0 }],
    ['stop', true, undefined, { gracePeriodSeconds: 0 }, {}, { spec: { running: false } }],
    ['stop', false, undefined, {}, {}, off],
    ['stop', false, {}, {}, {}, off],
    ['stop', false, {}, { gracePeriodSeconds: 0 }, {}, { requests: [STOP], gracePeriodSeconds: 0 }],
    ['restart', true, {}, {}, {}, { requests: [STOP, START] }],
    ['restart', true, {}, { gracePeriodSeconds: 0 }, {}, { requests: [STOP, START], gracePeriodSeconds: 0 }],
    ['restart', true, { phase: 'Failed' }, { gracePeriodSeconds: 0 }, {}, { requests: [STOP, START] }],
    ['restart', true, undefined, {}, {}, off],
    ['restart', false, {}, {}, {}, off],
    ['restart', true, {}, {}, { stateChangeRequests: [{ action: 'Stop', uid: 'i1' }] }, underway],
  ])(
    'to %s with running %s, instance %j, options %j and status %j',
    (action, running, looks, options, status, expected) => {
      const vm = vmLike({ running }, status);
      expect(hypersdk.power(vm, action, looks && instanceLike(looks), options)).toEqual(expected);
    },
  );

  it('to resize changes the fields of the size', () => {
    expect(hypersdk.size?.(vmLike())).toEqual({ cpus: 4, memory: '8Gi' });
    expect(hypersdk.resize?.(vmLike(), { cpus: 6, memory: '12Gi' })).toEqual({ spec: { cpus: 6, memory: '12Gi' } });
  });
});
