import { describe, expect, it } from 'vitest';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import { type MigrationAction, type MigrationView, planMigration } from './plan-migration.ts';
import { MIGRATION_SETTINGS } from './settings.ts';

const NOW = Date.UTC(2030, 0, 1, 1);
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const gone = { deletionTimestamp: ago(0) };

const vmim = (phase?: string, metadata: object = {}, status: object = {}): Vmim =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'move', namespace: 'shop', uid: 'm', ownerReferences: [{ uid: 'u' }], ...metadata },
    spec: { vmiName: 'web' },
    status: { ...(phase === undefined ? {} : { phase }), ...status },
  }) as unknown as Vmim;
const vmi = (status: object = {}, metadata: object = {}): Vmi =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'shop', uid: 'u', ...metadata },
    spec: { domain: { devices: {} } },
    status: { phase: 'Running', nodeName: 'n1', activePods: { 'uid-s': 'n1' }, ...status },
  }) as unknown as Vmi;
const pod = (name: string, nodeName = '', status: object = {}, metadata: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: `uid-${name}`,
    creationTimestamp: ago(1),
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: 'u' }],
    ...metadata,
  },
  spec: { containers: [], ...(nodeName === '' ? {} : { nodeName }) },
  status: { phase: nodeName === '' ? 'Pending' : 'Running', ...status },
});

const source = pod('s', 'n1');
const target = pod('t', 'n2');
const announced = (more: object = {}) => ({
  migrationState: { migrationUid: 'm', sourceNode: 'n1', targetNode: 'n2', sourcePod: 's', targetPod: 't', ...more },
});
const view = (parts: Partial<MigrationView>): MigrationView => ({
  vmim: vmim(),
  vmi: vmi(),
  target: undefined,
  source,
  turn: true,
  now: NOW,
  ...parts,
});

/** Describes an action in a few words. */
function said(action: MigrationAction): string {
  if (action.do === 'report') {
    const { phase, migrationState, conditions = [] } = action.status;
    return ['report', phase, migrationState?.failureReason, ...conditions.map(({ type }) => type)]
      .filter(Boolean)
      .join(' ');
  }
  if (action.do === 'remove') return `remove ${action.pod.metadata.name}`;
  if (action.do === 'requeue') return `requeue after ${action.requeueAfterMs / 60_000} min`;
  return action.do === 'call off' ? `call off: ${action.failure}` : action.do;
}

type Case = readonly [what: string, view: Partial<MigrationView>, actions: readonly string[]];
const decides = (cases: readonly Case[]) =>
  it.each<Case>(cases)('%s', (_what, parts, actions) => {
    expect(planMigration(view(parts), MIGRATION_SETTINGS).map(said)).toEqual(actions);
  });

describe('a pending migration', () => {
  decides([
    ['makes its target when it is its turn', {}, ['make target']],
    ['and not before', { turn: false }, []],
    ['is given to its instance first', { vmim: vmim(undefined, { ownerReferences: undefined }) }, ['belong']],
    [
      'is not given to one that is not there',
      { vmim: vmim(undefined, { ownerReferences: undefined }), vmi: undefined },
      ['report Failed VMI shop/web does not exist'],
    ],
    ['waits for the instance to run', { vmi: vmi({ phase: 'Scheduled', nodeName: '' }) }, []],
    ['makes no target for a machine whose own pod is gone', { source: undefined }, ['requeue after 0.05 min']],
    ['waits for another migration of it', { vmi: vmi({ migrationState: { migrationUid: 'other' } }) }, []],
    [
      'goes when that is over',
      { vmi: vmi({ migrationState: { migrationUid: 'other', completed: true } }) },
      ['make target'],
    ],
    ['fails without its instance', { vmi: undefined }, ['report Failed VMI shop/web does not exist']],
    ['fails where admission would not have let it in', { vmi: undefined, rejection: 'bad' }, ['report Failed bad']],
    ['fails when that has ended', { vmi: vmi({ phase: 'Succeeded' }) }, ['report Failed VMI shop/web has finished']],
    ['fails when that goes', { vmi: vmi({}, gone) }, ['report Failed VMI shop/web is being deleted']],
    [
      'fails when that cannot move',
      { vmi: vmi({ conditions: [{ type: 'LiveMigratable', status: 'False', reason: 'R', message: 'no' }] }) },
      ['report Failed VMI shop/web cannot be migrated: R: no'],
    ],
    ['is given up at once', { vmim: vmim('Pending', gone) }, ['report Failed the migration was deleted']],
  ]);
});

const NOWHERE = { type: 'TargetScheduled', status: 'False' };

describe('a migration with a target', () => {
  const stuck = { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1' }] };
  const old = { creationTimestamp: ago(5) };
  decides([
    ['is being scheduled', { target: pod('t') }, ['report Scheduling', 'requeue after 14 min']],
    ['says so once', { vmim: vmim('Scheduling'), target: pod('t') }, ['requeue after 14 min']],
    [
      'waits four minutes more where it fits nowhere',
      { vmim: vmim('Scheduling'), target: pod('t', '', stuck) },
      ['report Scheduling TargetScheduled', 'requeue after 4 min'],
    ],
    [
      'says that once',
      {
        vmim: vmim('Scheduling', {}, { conditions: [NOWHERE] }),
        target: pod('t', '', stuck),
      },
      ['requeue after 4 min'],
    ],
    [
      'and then fails',
      { vmim: vmim('Scheduling'), target: pod('t', '', stuck, old) },
      ['report Failed no node found for the target pod: 0/1'],
    ],
    ['is scheduled', { target: pod('t', 'n2', { phase: 'Pending' }) }, ['report Scheduled', 'requeue after 14 min']],
    [
      'fails where that does not run for too long',
      { target: pod('t', 'n2', { phase: 'Pending' }, { creationTimestamp: ago(15) }) },
      ['report Failed target pod t is not running'],
    ],
    ['is announced when it runs', { vmim: vmim('Scheduled'), target }, ['announce', 'report PreparingTarget']],
    ['fails when it is gone', { vmim: vmim('Scheduling') }, ['report Failed the target pod was deleted']],
    [
      'fails when it has ended',
      { target: pod('t', 'n2', { phase: 'Failed' }) },
      ['report Failed target pod t has terminated'],
    ],
    ['fails when it goes', { target: pod('t', 'n2', {}, gone) }, ['report Failed target pod t has terminated']],
    [
      'fails when it was made for another instance of the name',
      { vmi: vmi({}, { uid: 'v' }), target },
      ['report Failed VMI shop/web was replaced by another one'],
    ],
    ['is given up at once', { vmim: vmim('Scheduled', gone), target }, ['report Failed the migration was deleted']],
  ]);
});

describe('a migration that node agents know of', () => {
  const ready = announced({ targetNodeAddress: 'a' });
  const begun = announced({ targetNodeAddress: 'a', startTimestamp: ago(1) });
  const aborted = announced({ targetNodeAddress: 'a', abortRequested: true });
  const since = (phase: 'PreparingTarget' | 'TargetReady') => (minutes: number) =>
    vmim(phase, {}, { phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: ago(minutes) }] });
  const preparing = since('PreparingTarget');
  const waiting = since('TargetReady');
  const deleted = vmim('Running', gone);
  decides([
    ['prepares', { vmim: preparing(2), vmi: vmi(announced()), target }, ['requeue after 3 min']],
    [
      'is called off where that takes too long',
      { vmim: preparing(5), vmi: vmi(announced()), target },
      ['call off: node n2 did not prepare the target in time'],
    ],
    ['is ready', { vmim: preparing(1), vmi: vmi(ready), target }, ['report TargetReady', 'requeue after 5 min']],
    ['waits for its source', { vmim: waiting(2), vmi: vmi(ready), target }, ['requeue after 3 min']],
    ['is given up where its source never begins', { vmim: waiting(5), vmi: vmi(ready), target }, ['abort']],
    ['is given up once', { vmim: waiting(6), vmi: vmi(aborted), target }, []],
    ['moves', { vmim: vmim('TargetReady'), vmi: vmi(begun), target }, ['report Running']],
    ['moves for as long as it takes', { vmim: vmim('Running'), vmi: vmi(begun), target }, []],
    [
      'has moved',
      { vmim: vmim('Running'), vmi: vmi({ ...announced({ completed: true }), nodeName: 'n2' }), target },
      ['report Succeeded'],
    ],
    [
      'has failed',
      { vmim: vmim('Running'), vmi: vmi(announced({ completed: true, failed: true, failureReason: 'lost' })), target },
      ['report Failed lost'],
    ],
    [
      'is called off before anybody could begin',
      { vmim: deleted, vmi: vmi(announced()), target },
      ['call off: the migration was deleted'],
    ],
    [
      'is asked to stop after that',
      { vmim: deleted, vmi: vmi(begun), target },
      ['abort', 'report Running MigrationAbortRequested'],
    ],
    ['is asked once', { vmim: deleted, vmi: vmi(aborted), target }, []],
    [
      'is asked to stop when its target goes',
      { vmim: vmim('Running'), vmi: vmi(begun), target: pod('t', 'n2', {}, gone) },
      ['abort'],
    ],
    [
      'fails with its instance',
      { vmim: vmim('Running'), vmi: vmi({ ...begun, phase: 'Failed' }), target },
      ['report Failed VMI shop/web has finished'],
    ],
    ['is as far as it is, though nothing of that was written', { vmi: vmi(begun), target }, ['report Running']],
  ]);
});

describe('a finished migration', () => {
  const succeeded = vmim('Succeeded', {}, announced({ completed: true }));
  const there = { nodeName: 'n2', activePods: { 'uid-t': 'n2' } };
  decides([
    ['removes the pod that was left', { vmim: succeeded, vmi: vmi(there), target }, ['remove s']],
    ['once', { vmim: succeeded, vmi: vmi(there), target, source: pod('s', 'n1', {}, gone) }, []],
    ['leaves the pod that a later one has come back to', { vmim: succeeded, vmi: vmi(), target }, []],
    [
      'says that the node was left',
      { vmim: succeeded, vmi: vmi({ ...there, evacuationNodeName: 'n1' }), source: undefined },
      ['clear evacuation'],
    ],
    [
      'keeps a later request to leave',
      { vmim: succeeded, vmi: vmi({ ...there, evacuationNodeName: 'n2' }), source: undefined },
      [],
    ],
    ['removes the target that is of no use', { vmim: vmim('Failed'), target }, ['remove t']],
    ['never the pod that the machine is in', { vmim: vmim('Failed'), vmi: vmi(there), target }, []],
    ['goes when it is deleted and nothing is left', { vmim: vmim('Failed', gone) }, ['release']],
  ]);
});
