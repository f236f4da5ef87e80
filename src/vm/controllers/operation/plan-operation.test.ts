import { describe, expect, it } from 'vitest';
import { virtualMachineInstance } from '#api/kubevirt/group';
import { resourceTypeFor, VMIMS, type Vmi } from '#api/kubevirt/resources';
import { DEFAULT_NODE } from '#api/launcher-load';
import { timestamp } from '#platform/base/timestamp';
import { kubevirtDialect } from '#testing/vm-harness';
import type { AnyVm } from '#vm/engine/vm-scope';
import type { Operation } from './operation.ts';
import type { OperationView } from './operation-view.ts';
import { planOperation } from './plan-operation.ts';

const NOW = Date.UTC(2030, 0, 1, 0, 1);
const at = (ms: number) => timestamp(NOW + ms);

const operation = (kind: string, spec: object = {}, status?: object, metadata: object = {}) =>
  ({
    metadata: {
      name: 'op',
      namespace: 'default',
      uid: 'op-uid',
      generation: 1,
      creationTimestamp: at(-1000),
      ...metadata,
    },
    spec: { vmRef: { name: 'web' }, operation: kind, timeout: '10m', force: false, cancel: false, ...spec },
    ...(status === undefined ? {} : { status }),
  }) as unknown as Operation;

const vm = (runStrategy: string, metadata: object = {}) =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default', uid: 'vm-uid', generation: 1, resourceVersion: '1', ...metadata },
    spec: {
      runStrategy,
      template: { spec: { domain: { cpu: { sockets: 2 }, memory: { guest: '2Gi' }, devices: {} } } },
    },
    status: { desiredGeneration: 1 },
  }) as unknown as AnyVm;

const instance = (phase: string, more: object = {}, metadata: object = {}) =>
  ({
    apiVersion: virtualMachineInstance.apiVersion,
    kind: virtualMachineInstance.kind,
    metadata: { name: 'web', namespace: 'default', uid: 'vmi-uid', ...metadata },
    spec: { domain: { cpu: { sockets: 2 }, memory: { guest: '2Gi' }, devices: {} } },
    status: { phase, nodeName: 'n1', ...more },
  }) as unknown as Vmi;

const view = (given: Partial<OperationView> & Pick<OperationView, 'operation'>): OperationView => ({
  ref: { group: 'kubevirt.io', namespace: 'default', name: 'web' },
  dialect: kubevirtDialect,
  vm: vm('Always'),
  instance: undefined,
  blockedBy: undefined,
  lookups: {
    node: (name) => (name === 'n2' ? ({ metadata: { name, labels: {} } } as never) : undefined),
    migration: () => undefined,
    snapshot: () => undefined,
    vm: () => undefined,
    claim: () => undefined,
    origins: { claim: () => undefined, snapshot: () => undefined, storageClass: () => undefined },
    dependencies: () => ({ referenceNode: DEFAULT_NODE }),
  },
  now: NOW,
  ...given,
});

/** Returns the planned actions with their messages. */
const reported = (given: Partial<OperationView> & Pick<OperationView, 'operation'>) =>
  planOperation(view(given)).map((action) => {
    if (action.do === 'report') return `${action.status.phase}: ${action.status.message}`;
    if (action.do === 'power') return `${action.do} ${action.action}${action.force ? ' by force' : ''}`;
    return action.do === 'requeue' ? `${action.do} ${action.requeueAfterMs}` : action.do;
  });

const RUNNING = { phase: 'Running', startTime: at(-1000), checkpoint: { vmUID: 'vm-uid', instanceUID: 'vmi-uid' } };

describe('the actions of an operation', () => {
  it.each<[string, Partial<OperationView> & Pick<OperationView, 'operation'>, string[]]>([
    [
      'record the start first',
      { operation: operation('start'), vm: vm('Halted') },
      ['Running: the VM is starting', 'power start', 'requeue 600000'],
    ],
    [
      'are none if the VM runs',
      { operation: operation('start'), instance: instance('Running') },
      ['Succeeded: the VM is already running'],
    ],
    [
      'are none if the VM is starting anyway',
      { operation: operation('start'), vm: vm('Always') },
      ['Running: the VM is starting', 'requeue 600000'],
    ],
    [
      'are forced if requested',
      { operation: operation('stop', { force: true }), instance: instance('Running') },
      ['Running: the VM is stopping', 'power stop by force', 'requeue 600000'],
    ],
    [
      'shorten the grace period of a guest that is stopping',
      {
        operation: operation('stop', { force: true }, { ...RUNNING, message: 'm' }),
        vm: vm('Halted'),
        instance: instance('Running', {}, { deletionTimestamp: at(0) }),
      },
      ['Running: m', 'force stop', 'requeue 599000'],
    ],
    [
      'wait for a missing VM',
      { operation: operation('start'), vm: undefined },
      ['Pending: VirtualMachine.kubevirt.io default/web not found, waiting', 'requeue 599000'],
    ],
    [
      'wait for a missing VM up to the timeout, regardless of other operations',
      { operation: operation('start', { timeout: '500ms' }), vm: undefined, blockedBy: operation('stop') },
      ['Failed: VirtualMachine.kubevirt.io default/web not found, timed out after 500ms: nothing has been changed'],
    ],
    [
      'fail at once if impossible, regardless of earlier operations',
      {
        operation: operation('start'),
        dialect: undefined,
        vm: undefined,
        denial: { reason: 'NotServed', message: 'nothing acts on machines of novacron.io here' },
        blockedBy: operation('stop'),
      },
      ['Failed: nothing acts on machines of novacron.io here; nothing has been changed'],
    ],
    [
      'do not report a short wait for other operations',
      { operation: operation('start'), blockedBy: operation('stop') },
      ['requeue 1000'],
    ],
    [
      'report which operation they wait for',
      {
        operation: operation('start', {}, undefined, { creationTimestamp: at(-5000) }),
        blockedBy: operation('stop', {}, undefined, { name: 'halt' }),
      },
      ['Pending: waiting for VMOperation default/halt (stop) of the same VM to finish', 'requeue 595000'],
    ],
    [
      'are none if it was canceled before',
      { operation: operation('delete', { cancel: true }) },
      ['Cancelled: the operation was cancelled before it began: nothing has been changed'],
    ],
    [
      'start a stopped VM that should be restarted',
      { operation: operation('restart'), vm: vm('Halted') },
      ['Running: the VM was stopped and is starting', 'power start', 'requeue 600000'],
    ],
    [
      'delay a migration until the VM runs that should',
      { operation: operation('migrate'), vm: vm('Always') },
      ['Pending: the VM is not running yet, waiting', 'requeue 30000'],
    ],
    [
      'delay a snapshot with memory until the VM runs that should',
      { operation: operation('snapshot', { snapshotSpec: { includeMemory: true } }), vm: vm('Always') },
      ['Pending: the VM is not running yet, waiting', 'requeue 30000'],
    ],
    [
      'do not delay a snapshot of a VM that has terminated permanently',
      {
        operation: operation('snapshot', { snapshotSpec: { includeMemory: true } }),
        vm: vm('Once'),
        instance: instance('Succeeded'),
      },
      ['Running: VMSnapshot op is being created', 'create', 'requeue 600000'],
    ],
    [
      'reject a missing node',
      { operation: operation('migrate', { migrateSpec: { targetNode: 'n9' } }), instance: instance('Running') },
      ['Failed: node n9 not found: nothing has been changed'],
    ],
    [
      'reject a migration of a VM that is migrating',
      {
        operation: operation('migrate'),
        instance: instance('Running', { migrationState: { migrationUid: 'm', targetNode: 'n2' } }),
      },
      ['Failed: the VM is already migrating to node n2: nothing has been changed'],
    ],
    [
      'reject a size below the usage',
      {
        operation: operation('resize', { resizeSpec: { memory: '1Gi' } }),
        instance: instance('Running'),
        usage: { cpuCores: 0.1, memoryBytes: 1.5 * 2 ** 30 },
      },
      ['Failed: the VM uses 1536Mi of memory, which is more than 1Gi: nothing has been changed'],
    ],
    [
      'fail if the VM was deleted',
      { operation: operation('restart', {}, RUNNING), vm: undefined },
      ['Failed: VirtualMachine.kubevirt.io default/web was deleted'],
    ],
    [
      'fail if another VM has the name',
      { operation: operation('stop', {}, RUNNING), vm: vm('Always', { uid: 'other' }) },
      ['Failed: VirtualMachine.kubevirt.io default/web was replaced by another one'],
    ],
    [
      'succeed if the VM should be deleted',
      { operation: operation('delete', {}, RUNNING), vm: undefined },
      ['Succeeded: the VM was deleted'],
    ],
    [
      'do not restart a VM twice',
      { operation: operation('restart', {}, RUNNING), instance: instance('Running', {}, { uid: 'next' }) },
      ['Succeeded: the VM is running again on node n1'],
    ],
    [
      'do not stop a VM that was started since',
      { operation: operation('stop', {}, RUNNING), instance: instance('Running', {}, { uid: 'next' }) },
      ['Succeeded: the VM was stopped and has been started again since'],
    ],
    [
      'fail after the timeout',
      { operation: operation('stop', {}, { ...RUNNING, startTime: at(-600_000) }), instance: instance('Running') },
      [
        'Failed: the operation took longer than 10m: the stop had already been requested and continues; use force to power the VM off',
      ],
    ],
    [
      'keep a finished operation until its TTL',
      {
        operation: operation(
          'start',
          { ttlSecondsAfterFinished: 60 },
          { phase: 'Failed', completionTime: at(-59_000) },
        ),
      },
      ['requeue 1000'],
    ],
    [
      'delete a finished operation after its TTL',
      {
        operation: operation(
          'start',
          { ttlSecondsAfterFinished: 60 },
          { phase: 'Failed', completionTime: at(-60_000) },
        ),
      },
      ['expire'],
    ],
  ])('%s', (_what, given, expected) => {
    expect(reported(given)).toEqual(expected);
  });

  it('creates a migration with a unique name', () => {
    const actions = planOperation(
      view({
        operation: operation('migrate', {
          migrateSpec: { targetNode: 'n2', bandwidth: '8Mbps', autoConverge: false, postCopy: true },
        }),
        instance: instance('Running'),
      }),
    );
    expect(actions.find((action) => action.do === 'create')).toMatchObject({
      type: VMIMS,
      object: {
        metadata: {
          name: 'vmop-op-uid',
          annotations: {
            'vimana.io/operation': 'default/op',
            'vimana.io/migration-configuration':
              '{"allowAutoConverge":false,"allowPostCopy":true,"bandwidthPerMigration":"1000000"}',
          },
        },
        spec: { vmiName: 'web', addedNodeSelector: { 'kubernetes.io/hostname': 'n2' } },
      },
    });
  });

  it('deletes exactly the VM that was meant', () => {
    const actions = planOperation(view({ operation: operation('delete') }));
    expect(actions).toContainEqual({
      do: 'remove',
      type: resourceTypeFor(kubevirtDialect.kind),
      name: 'web',
      uid: 'vm-uid',
    });
  });
});
