import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { PowerAction } from '#vm/engine/dialect';
import type { ActionOptions } from '#vm/engine/subresources/options';
import { powerEdit } from '#vm/engine/subresources/power-edit';
import { kubevirt } from './dialect.ts';

const instance = (phase: string, spec: object = {}) =>
  ({ metadata: { name: 'web', uid: 'u1' }, spec, status: { phase } }) as unknown as VirtualMachineInstance;
const machine = (spec: object, status: object = {}) =>
  ({ metadata: { name: 'web' }, spec: { template: { spec: {} }, ...spec }, status }) as unknown as VirtualMachine;

const refusalOf = (edit: object): string | undefined => {
  const { refused: rejected } = edit as { refused?: { code: number; message: string } };
  return rejected === undefined ? undefined : `${rejected.code} ${rejected.message}`;
};
const onMachine = (why: string) => `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${why}`;

describe('a request through the subresources of a VM', () => {
  const STOP = { action: 'Stop', uid: 'u1' };
  const START = { action: 'Start' };
  const runs = instance('Running', { terminationGracePeriodSeconds: 30 });

  it.each<[PowerAction, string, VirtualMachineInstance | undefined, Partial<ActionOptions>, object | string]>([
    ['start', 'Halted', undefined, {}, { spec: { runStrategy: 'Always' } }],
    ['start', 'Halted', undefined, { paused: false }, { spec: { runStrategy: 'Always' } }],
    [
      'start',
      'Halted',
      undefined,
      { paused: true },
      { spec: { runStrategy: 'Always' }, requests: [{ ...START, data: { paused: 'true' } }] },
    ],
    ['start', 'Manual', undefined, {}, { requests: [START] }],
    ['start', 'Manual', undefined, { paused: true }, { requests: [{ ...START, data: { paused: 'true' } }] }],
    ['start', 'Manual', instance('Succeeded'), {}, { requests: [STOP, START] }],
    ['start', 'Manual', runs, {}, onMachine('VM is already running')],
    ['start', 'Always', undefined, {}, onMachine('Always does not support manual start requests')],
    [
      'start',
      'RerunOnFailure',
      instance('Failed'),
      {},
      onMachine('RerunOnFailure does not support starting VM from failed state'),
    ],
    ['stop', 'Always', runs, {}, { spec: { runStrategy: 'Halted' } }],
    ['stop', 'Always', runs, { gracePeriodSeconds: 5 }, { spec: { runStrategy: 'Halted' }, gracePeriodSeconds: 5 }],
    ['stop', 'Manual', runs, {}, { requests: [STOP] }],
    ['stop', 'Manual', undefined, {}, onMachine('VM is not running')],
    ['stop', 'Halted', runs, {}, onMachine('Halted only supports manual stop requests with a shorter graceperiod')],
    ['stop', 'Halted', runs, { gracePeriodSeconds: 0 }, { requests: [STOP], gracePeriodSeconds: 0 }],
    ['restart', 'Always', runs, {}, { requests: [STOP, START] }],
    ['restart', 'Always', runs, { gracePeriodSeconds: 0 }, { requests: [STOP, START], gracePeriodSeconds: 0 }],
    ['restart', 'Manual', instance('Failed'), { gracePeriodSeconds: 0 }, { requests: [STOP, START] }],
    [
      'restart',
      'Always',
      runs,
      { gracePeriodSeconds: 9 },
      '400 For force restart, only gracePeriod=0 is supported for now',
    ],
    ['restart', 'Halted', runs, {}, onMachine('RunStategy Halted does not support manual restart requests')],
    ['restart', 'Always', undefined, {}, onMachine('VM is not running: Halted')],
  ])('to %s with the run strategy %s', (action, runStrategy, vmi, options, expected) => {
    const edit = powerEdit(kubevirt, action, machine({ runStrategy }), vmi, { dryRun: false, ...options });
    expect(refusalOf(edit) ?? edit).toEqual(expected);
  });

  it('conflicts with pending requests, except a stop', () => {
    const vm = machine({ runStrategy: 'Manual' }, { stateChangeRequests: [START] });
    const ask = (action: PowerAction) => powerEdit(kubevirt, action, vm, runs, { dryRun: false });
    expect(refusalOf(ask('restart'))).toBe(onMachine('unable to complete request: stop/start already underway'));
    expect(ask('stop')).toEqual({ requests: [STOP] });
  });

  it('to stop removes pending start requests', () => {
    const vm = machine({ runStrategy: 'Always' }, { stateChangeRequests: [START] });
    const edit = powerEdit(kubevirt, 'stop', vm, undefined, { dryRun: false });
    expect(edit).toEqual({ requests: [], spec: { runStrategy: 'Halted' } });
  });
});
