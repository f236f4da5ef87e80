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
    ['gets no pod without its claim', { vmi: vmi(), missingClaim: 'disk' }, ['report Pending FailedPvcNotFound']],
    [
      'is being scheduled while its pod has no node',
      { vmi: vmi(), pods: [pod('p')] },
      ['report Scheduling in passing'],
    ],
    [
      'reports at once that it is unschedulable',
      { vmi: vmi(), pods: [pod('p', '', unschedulable)] },
      ['report Scheduling Unschedulable'],
    ],
    [
      'reports that it waits for a volume',
      { vmi: vmi(), pods: [pod('p')], unboundClaim: 'disk' },
      ['report Scheduling WaitingForVolumeBinding in passing'],
    ],
    [
      'reports at once that a problem is resolved',
      {
        vmi: vmi({ conditions: [{ type: 'Synchronized', status: 'False', reason: 'FailedCreate' }] }),
        pods: [pod('p')],
      },
      ['report Scheduling'],
    ],
    [
      'is left to its node agent once its pod has a node',
      { vmi: vmi(), pods: [pod('p', 'n1', { phase: 'Pending' })] },
      [],
    ],
    ['is left to its node agent while it runs', { vmi: vmi(runs()), pods: [pod('p', 'n1')] }, []],
    [
      'fails with a pod that never had a node',
      { vmi: vmi(), pods: [pod('p', '', { phase: 'Failed', reason: 'Evicted' })] },
      ['report Failed Evicted'],
    ],
    ['fails if its pod was deleted', { vmi: vmi({ phase: 'Scheduling' }) }, ['report Failed PodDeleted']],
    ['does not adopt the pod of a migration', { vmi: vmi(), pods: [target('t')] }, ['create']],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('a live node agent', () => {
  const finished = [pod('p', 'n1', { phase: 'Failed', reason: 'OOMKilled' })];
  it.each<Case>([
    ['reports how the machine in a finished pod ended', { vmi: vmi(runs()), pods: finished }, ['await agent']],
    [
      'is replaced by the controller if it reports nothing for too long',
      { vmi: vmi(runs()), pods: finished, owedMs: 40_000 },
      ['report Failed OOMKilled'],
    ],
    ['reports how a machine ended whose pod was deleted', { vmi: vmi(runs()) }, ['await agent']],
    [
      'is waited for although a migration target is on its node',
      { vmi: vmi(runs('n1', { activePods: { 'uid-p': 'n1' } })), pods: [target('t', 'n1')] },
      ['await agent'],
    ],
    [
      'is replaced by the controller although a migration target is on its node',
      { vmi: vmi(runs('n1', { activePods: { 'uid-p': 'n1' } })), pods: [target('t', 'n1')], owedMs: 40_000 },
      ['report Failed PodDeleted'],
    ],
    [
      'runs a machine that has migrated to its node',
      {
        vmi: vmi(runs('n2', { activePods: {}, migrationState: { targetPod: 't', completed: true } })),
        pods: [target('t', 'n2')],
      },
      [],
    ],
    [
      'is replaced by the controller if the pod was deleted',
      { vmi: vmi(runs()), owedMs: 40_000 },
      ['report Failed PodDeleted'],
    ],
    ['may run a machine that it has not reported', { vmi: vmi(), abandoned: 'n1' }, ['await agent']],
    [
      'is replaced by the controller only after the migration target is deleted',
      { vmi: vmi(runs()), pods: [...finished, target('t', 'n2')], owedMs: 40_000 },
      ['delete t'],
    ],
    [
      'is waited for while the migration target terminates',
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
      'fails its instance',
      { vmi: vmi(runs()), pods: [pod('p', 'n1')], lost },
      ['report Failed NodeLost', 'delete p by force'],
    ],
    [
      'fails an instance that was never reported',
      { vmi: vmi(), pods: [pod('p', 'n1')], lost },
      ['report Failed NodeLost', 'delete p by force'],
    ],
    ['fails an instance whose pod was deleted', { vmi: vmi(runs()), lost }, ['report Failed NodeLost']],
    [
      'fails an instance that is being deleted',
      { vmi: vmi(runs(), gone), pods: [pod('p', 'n1')], lost },
      ['report Failed NodeLost', 'delete p by force'],
    ],
    ['does not affect an instance on another node', { vmi: vmi(runs('n2')), pods: [pod('p', 'n2')], lost }, []],
    [
      'does not affect an instance that has migrated away in time',
      { vmi: vmi(runs('n2', { activePods: { 'uid-t': 'n2' } })), pods: [pod('p', 'n1'), target('t', 'n2')], lost },
      [],
    ],
    [
      'may have migrated its machine, so the target is terminated first',
      { vmi: vmi(runs()), pods: [pod('p', 'n1'), target('t', 'n2')], lost },
      ['delete t', 'delete p by force'],
    ],
    [
      'fails its instance if the node of the target is lost too',
      { vmi: vmi(runs()), pods: [pod('p', 'n1'), target('t', 'n2')], lost: new Set(['n1', 'n2']) },
      ['report Failed NodeLost', 'delete p by force'],
    ],
  ])('%s', (_what, parts, actions) => {
    expect(planVmi(view(parts), SETTINGS).map(said)).toEqual(actions);
  });
});

describe('a deleted instance', () => {
  it.each<Case>([
    ['is removed if it has no pod', { vmi: vmi({}, gone) }, ['release']],
    ['deletes a pod without a node', { vmi: vmi({ phase: 'Scheduling' }, gone), pods: [pod('p')] }, ['delete p']],
    ['is stopped by its node agent', { vmi: vmi(runs(), gone), pods: [pod('p', 'n1')] }, ['requeue after 60 s']],
    [
      'terminates its pod if the node agent takes too long',
      { vmi: vmi(runs(), gone), pods: [pod('p', 'n1')], now: NOW + 60_000 },
      ['delete p'],
    ],
    ['terminates its pod once', { vmi: vmi(runs(), gone), pods: [pod('p', 'n1', {}, gone)], now: NOW + 60_000 }, []],
    ['terminates its pod if no node agent ever reported', { vmi: vmi({}, gone), pods: [pod('p', 'n1')] }, ['delete p']],
    ['is kept while its node agent may still stop it', { vmi: vmi(runs(), gone) }, ['await agent']],
    [
      'is removed if its node agent reports nothing for too long',
      { vmi: vmi(runs(), gone), owedMs: 40_000 },
      ['release'],
    ],
    [
      'is kept until its node agent reports how it ended',
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
    ['keeps its finished pod for inspection', { vmi: vmi(ended), pods: [finished] }, []],
    ['deletes its pod when it is deleted', { vmi: vmi(ended, gone), pods: [finished] }, ['delete p']],
    ['is removed when no pod is left', { vmi: vmi(ended, gone) }, ['release']],
    ['waits until its pod is finished', { vmi: vmi(ended, gone), pods: [pod('p', 'n1')] }, ['await agent']],
    [
      'terminates a pod that is not finished',
      { vmi: vmi(ended, gone), pods: [pod('p', 'n1')], owedMs: 40_000 },
      ['delete p'],
    ],
    ['deletes a pod without a node', { vmi: vmi(ended), pods: [target('t')] }, ['delete t']],
    [
      'loses its pods with a lost node',
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
    ['an instance runs when its pod runs', { vmi: vmi(), pods: [pod('p', 'k')], kwokManaged }, ['report Running']],
    [
      'an instance is Scheduled before its pod runs',
      { vmi: vmi(), pods: [pod('p', 'k', { phase: 'Pending' })], kwokManaged },
      ['report Scheduled in passing'],
    ],
    [
      'an instance does not return to Scheduled',
      { vmi: vmi(runs('k')), pods: [pod('p', 'k', { phase: 'Pending' })], kwokManaged },
      [],
    ],
    [
      'an instance terminates with its pod',
      { vmi: vmi(runs('k')), pods: [pod('p', 'k', { phase: 'Succeeded' })], kwokManaged },
      ['report Succeeded Completed'],
    ],
    ['an instance fails if its pod was deleted', { vmi: vmi(runs('k')), kwokManaged }, ['report Failed PodDeleted']],
    [
      'an instance is stopped by terminating its pod',
      { vmi: vmi(runs('k'), gone), pods: [pod('p', 'k')], kwokManaged },
      ['delete p'],
    ],
    ['a deleted instance is removed with its pod', { vmi: vmi(runs('k'), gone), kwokManaged }, ['release']],
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
