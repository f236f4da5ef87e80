import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { type InstanceView, planVmi, type VmiAction } from './plan-vmi.ts';

const NOW = Date.UTC(2030, 0, 1);
const DELETED = '2030-01-01T00:00:00Z';
const SETTINGS = { nodeLostAfterMs: 40_000, agentTimeoutMs: 40_000 };

const vmi = (status: object = {}, metadata: object = {}, spec: object = {}): Vmi =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'shop', uid: 'u', ...metadata },
    spec: { domain: { devices: {} }, ...spec },
    status: { phase: 'Pending', ...status },
  }) as unknown as Vmi;
const pod = (name: string, nodeName = '', status: object = {}, metadata: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: `uid-${name}`, ...metadata },
  spec: { containers: [], ...(nodeName === '' ? {} : { nodeName }) },
  status: { phase: nodeName === '' ? 'Pending' : 'Running', ...status },
});
const target = (name: string, nodeName = '', metadata: object = {}) =>
  pod(name, nodeName, {}, { labels: { 'kubevirt.io/migrationJobUID': 'm' }, ...metadata });

const runs = (node = 'n1', more: object = {}) => ({ phase: 'Running', nodeName: node, ...more });
const gone = { deletionTimestamp: DELETED };
const view = (parts: Partial<InstanceView> & { readonly vmi: Vmi }): InstanceView => ({
  pods: [],
  lost: new Set(),
  kwokManaged: false,
  owedMs: 0,
  now: NOW,
  ...parts,
});

/** Describes an action in a few words. */
function said(action: VmiAction): string {
  switch (action.do) {
    case 'delete':
      return `delete ${action.pod.metadata.name}${action.force ? ' by force' : ''}`;
    case 'report': {
      const { phase, reason, conditions } = action.status;
      const trouble =
        reason ?? conditions?.find(({ type }) => type === 'Synchronized' || type === 'PodScheduled')?.reason;
      return `report ${[phase, trouble, action.transient ? 'in passing' : ''].filter(Boolean).join(' ')}`;
    }
    case 'requeue':
      return `requeue after ${action.requeueAfterMs / 1000} s`;
    default:
      return action.do;
  }
}

const unschedulable = {
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no' }],
};

type Case = readonly [what: string, view: Partial<InstanceView> & { readonly vmi: Vmi }, actions: readonly string[]];

describe('an instance that starts', () => {
  it.each<Case>([
    ['gets a pod', { vmi: vmi() }, ['create']],
    ['gets none without its claim', { vmi: vmi(), missingClaim: 'disk' }, ['report Pending FailedPvcNotFound']],
    [
      'is being scheduled while its pod has no node',
      { vmi: vmi(), pods: [pod('p')] },
      ['report Scheduling in passing'],
    ],
    [
      'says at once that it fits nowhere',
      { vmi: vmi(), pods: [pod('p', '', unschedulable)] },
      ['report Scheduling Unschedulable'],
    ],
    [
      'says that it waits for a volume',
      { vmi: vmi(), pods: [pod('p')], unboundClaim: 'disk' },
      ['report Scheduling WaitingForVolumeBinding in passing'],
    ],
    [
      'says at once that a trouble is over',
      {
        vmi: vmi({ conditions: [{ type: 'Synchronized', status: 'False', reason: 'FailedCreate' }] }),
        pods: [pod('p')],
      },
      ['report Scheduling'],
    ],
    ['is its agent’s once its pod has a node', { vmi: vmi(), pods: [pod('p', 'n1', { phase: 'Pending' })] }, []],
    ['is its agent’s while it runs', { vmi: vmi(runs()), pods: [pod('p', 'n1')] }, []],
    [
      'fails with a pod that never had a node',
      { vmi: vmi(), pods: [pod('p', '', { phase: 'Failed', reason: 'Evicted' })] },
      ['report Failed Evicted'],
    ],
    ['fails where its pod is gone', { vmi: vmi({ phase: 'Scheduling' }) }, ['report Failed PodDeleted']],
    ['is not given the pod of a migration for its own', { vmi: vmi(), pods: [target('t')] }, ['create']],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('a live node agent', () => {
  const finished = [pod('p', 'n1', { phase: 'Failed', reason: 'OOMKilled' })];
  it.each<Case>([
    ['says how the machine in a finished pod ended', { vmi: vmi(runs()), pods: finished }, ['await agent']],
    [
      'is spoken for when it owes that for too long',
      { vmi: vmi(runs()), pods: finished, owedMs: 40_000 },
      ['report Failed OOMKilled'],
    ],
    ['says what became of a machine whose pod is gone', { vmi: vmi(runs()) }, ['await agent']],
    [
      'is not taken to hold the machine in what a migration made on its node after the pod was gone',
      { vmi: vmi(runs('n1', { activePods: { 'uid-p': 'n1' } })), pods: [target('t', 'n1')] },
      ['await agent'],
    ],
    [
      'is spoken for where there is nothing else on its node',
      { vmi: vmi(runs('n1', { activePods: { 'uid-p': 'n1' } })), pods: [target('t', 'n1')], owedMs: 40_000 },
      ['report Failed PodDeleted'],
    ],
    [
      'holds the machine that has come in a migration',
      {
        vmi: vmi(runs('n2', { activePods: {}, migrationState: { targetPod: 't', completed: true } })),
        pods: [target('t', 'n2')],
      },
      [],
    ],
    ['is spoken for there too', { vmi: vmi(runs()), owedMs: 40_000 }, ['report Failed PodDeleted']],
    ['may run a machine though it never said so', { vmi: vmi(), abandoned: 'n1' }, ['await agent']],
    [
      'is spoken for only when no target of a migration is left',
      { vmi: vmi(runs()), pods: [...finished, target('t', 'n2')], owedMs: 40_000 },
      ['delete t'],
    ],
    [
      'is waited for while that target ends',
      { vmi: vmi(runs()), pods: [...finished, target('t', 'n2', gone)], owedMs: 40_000 },
      [],
    ],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('a lost node', () => {
  const lost = new Set(['n1']);
  it.each<Case>([
    [
      'takes its instance with it',
      { vmi: vmi(runs()), pods: [pod('p', 'n1')], lost },
      ['report Failed NodeLost', 'delete p by force'],
    ],
    [
      'takes one that its agent never spoke of',
      { vmi: vmi(), pods: [pod('p', 'n1')], lost },
      ['report Failed NodeLost', 'delete p by force'],
    ],
    ['takes one whose pod is gone', { vmi: vmi(runs()), lost }, ['report Failed NodeLost']],
    [
      'takes one that is being deleted',
      { vmi: vmi(runs(), gone), pods: [pod('p', 'n1')], lost },
      ['report Failed NodeLost', 'delete p by force'],
    ],
    ['is nothing to an instance elsewhere', { vmi: vmi(runs('n2')), pods: [pod('p', 'n2')], lost }, []],
    [
      'is nothing to an instance that a migration took away in time',
      { vmi: vmi(runs('n2', { activePods: { 'uid-t': 'n2' } })), pods: [pod('p', 'n1'), target('t', 'n2')], lost },
      [],
    ],
    [
      'may have sent its machine away: the target ends first',
      { vmi: vmi(runs()), pods: [pod('p', 'n1'), target('t', 'n2')], lost },
      ['delete t', 'delete p by force'],
    ],
    [
      'and a lost target hide nothing',
      { vmi: vmi(runs()), pods: [pod('p', 'n1'), target('t', 'n2')], lost: new Set(['n1', 'n2']) },
      ['report Failed NodeLost', 'delete p by force'],
    ],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('a deleted instance', () => {
  it.each<Case>([
    ['goes where it has no pod', { vmi: vmi({}, gone) }, ['release']],
    ['takes a pod without a node along', { vmi: vmi({ phase: 'Scheduling' }, gone), pods: [pod('p')] }, ['delete p']],
    ['is stopped by its agent', { vmi: vmi(runs(), gone), pods: [pod('p', 'n1')] }, ['requeue after 60 s']],
    [
      'is stopped by the end of its pod where that takes too long',
      { vmi: vmi(runs(), gone), pods: [pod('p', 'n1')], now: NOW + 60_000 },
      ['delete p'],
    ],
    ['is stopped by it once', { vmi: vmi(runs(), gone), pods: [pod('p', 'n1', {}, gone)], now: NOW + 60_000 }, []],
    ['is stopped by it where no agent ever spoke', { vmi: vmi({}, gone), pods: [pod('p', 'n1')] }, ['delete p']],
    ['is held while its agent may still stop it', { vmi: vmi(runs(), gone) }, ['await agent']],
    ['goes when its agent says nothing for too long', { vmi: vmi(runs(), gone), owedMs: 40_000 }, ['release']],
    [
      'is held while its agent has to say how it ended',
      { vmi: vmi(runs(), gone), pods: [pod('p', 'n1', { phase: 'Succeeded' })] },
      ['await agent'],
    ],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('a terminated instance', () => {
  const ended = { phase: 'Succeeded', nodeName: 'n1' };
  const finished = pod('p', 'n1', { phase: 'Succeeded' });
  it.each<Case>([
    ['keeps its finished pod, to be looked at', { vmi: vmi(ended), pods: [finished] }, []],
    ['takes it along when it is deleted', { vmi: vmi(ended, gone), pods: [finished] }, ['delete p']],
    ['goes when nothing is left', { vmi: vmi(ended, gone) }, ['release']],
    ['waits for its pod to be finished', { vmi: vmi(ended, gone), pods: [pod('p', 'n1')] }, ['await agent']],
    [
      'tells it to end where it is not',
      { vmi: vmi(ended, gone), pods: [pod('p', 'n1')], owedMs: 40_000 },
      ['delete p'],
    ],
    ['needs no pod without a node', { vmi: vmi(ended), pods: [target('t')] }, ['delete t']],
    [
      'loses its pods with their node',
      { vmi: vmi(ended), pods: [pod('p', 'n1')], lost: new Set(['n1']) },
      ['delete p by force'],
    ],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('on a KWOK node', () => {
  const kwokManaged = true;
  it.each<Case>([
    ['an instance runs when its pod does', { vmi: vmi(), pods: [pod('p', 'k')], kwokManaged }, ['report Running']],
    [
      'it is scheduled before that',
      { vmi: vmi(), pods: [pod('p', 'k', { phase: 'Pending' })], kwokManaged },
      ['report Scheduled in passing'],
    ],
    [
      'it is not scheduled again when its pod says less than before',
      { vmi: vmi(runs('k')), pods: [pod('p', 'k', { phase: 'Pending' })], kwokManaged },
      [],
    ],
    [
      'it ends with its pod',
      { vmi: vmi(runs('k')), pods: [pod('p', 'k', { phase: 'Succeeded' })], kwokManaged },
      ['report Succeeded Completed'],
    ],
    ['it fails when its pod is gone', { vmi: vmi(runs('k')), kwokManaged }, ['report Failed PodDeleted']],
    [
      'it is stopped by the end of its pod',
      { vmi: vmi(runs('k'), gone), pods: [pod('p', 'k')], kwokManaged },
      ['delete p'],
    ],
    ['it goes with its pod', { vmi: vmi(runs('k'), gone), kwokManaged }, ['release']],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });

  it('a migration is finished when its target runs', () => {
    const state = { migrationUid: 'm', targetPod: 't', targetNode: 'k2' };
    const moving = vmi(runs('k', { activePods: { 'uid-p': 'k' }, migrationState: state }));
    const pods = [pod('p', 'k'), target('t', 'k2')];
    const [action] = planVmi(view({ vmi: moving, pods, kwokManaged }), SETTINGS);
    expect(action).toMatchObject({
      do: 'report',
      status: { nodeName: 'k2', activePods: { 'uid-t': 'k2' }, migrationState: { completed: true } },
    });
  });
});

it('an instance that admission would reject gets no pod, and reports why', () => {
  const rejection = { reason: 'Invalid', message: 'x is invalid' };
  expect(planVmi(view({ vmi: vmi(), rejection }), SETTINGS).map(said)).toEqual(['report Pending Invalid']);
  expect(planVmi(view({ vmi: vmi({}, gone), rejection }), SETTINGS).map(said)).toEqual(['release']);
});
