import { describe, expect, it } from 'vitest';
import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import { PRINTABLE_STATUSES } from '#api/kubevirt/virtual-machine-status';
import type { ObservedVm, PowerAction, PowerOptions, RecordedState } from '#vm/engine/dialect';
import {
  at,
  type InstanceTraits,
  instanceLike,
  NOW,
  recordedState,
  spec,
  vmMetadata,
} from '#vm/engine/instance.fixture';
import { kubevirt } from './dialect.ts';

type Status = NonNullable<VirtualMachine['status']>;

const machine = (
  strategy: RunStrategy = 'Always',
  more: { status?: Status; going?: boolean } = {},
): VirtualMachine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { ...vmMetadata(), generation: 7, ...(more.going === true ? { deletionTimestamp: at(-1) } : {}) },
  spec: { runStrategy: strategy, template: { spec } },
  ...(more.status === undefined ? {} : { status: more.status }),
});
const report = (vm: VirtualMachine, looks?: InstanceTraits, more: Partial<ObservedVm> = {}) =>
  kubevirt.report(vm, {
    instance: looks && instanceLike(looks),
    recorded: recordedState(),
    restartRequired: [],
    now: NOW,
    ...more,
  }) as Status;
const condition = (status: Status, type: string) => status.conditions?.find((each) => each.type === type);
const failing = (type: string, reason: string) =>
  ({ type, status: 'False', reason, lastTransitionTime: at(-5) }) as const;

describe('the desired VM of kubevirt.io', () => {
  it.each<[object, RunStrategy]>([
    [{ running: true }, 'Always'],
    [{ running: false }, 'Halted'],
    [{ runStrategy: 'Once' }, 'Once'],
    [{}, 'Halted'],
  ])('with %j is %s', (written, expected) => {
    const vm = machine();
    expect(kubevirt.desiredVm({ ...vm, spec: { template: vm.spec.template, ...written } }).runStrategy).toBe(expected);
  });

  it('is its template, with labels and annotations', () => {
    const metadata = { labels: { app: 'web' }, annotations: { note: 'x' } };
    const desired = kubevirt.desiredVm({ ...machine(), spec: { running: true, template: { metadata, spec } } });
    expect(desired).toEqual({ runStrategy: 'Always', ...metadata, spec });
  });

  it('is blocked if a disk refers to a volume that does not exist', () => {
    const disks = [{ name: 'disk0', volumeName: 'mypcv' }];
    const broken = { ...spec, domain: { ...spec.domain, devices: { disks } }, volumes: [{ name: 'mypvc' }] };
    const vm = { ...machine(), spec: { running: true, template: { spec: broken } } };
    expect(kubevirt.desiredVm(vm).blocked).toEqual({
      reason: 'VolumeNotFound',
      message:
        'the VM will not start: disk disk0 uses volume mypcv, but spec.template.spec.volumes has no volume of that name',
    });
  });
});

describe('the printable status', () => {
  const startFailure = { consecutiveFailCount: 1, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(9) };
  const migrating = { startTimestamp: at(-3) };
  const withMigration = (migrationState: object) => {
    const instance = instanceLike();
    return { ...instance, status: { ...instance.status, migrationState } } as ObservedVm['instance'];
  };
  it.each<[string, InstanceTraits | undefined, Partial<ObservedVm>]>([
    ['Stopped', undefined, {}],
    ['Stopped', { phase: 'Succeeded' }, {}],
    ['Stopped', { phase: 'Failed' }, {}],
    ['Starting', { phase: 'Pending' }, {}],
    ['Starting', { phase: 'Scheduling' }, {}],
    ['Starting', { phase: 'Scheduled' }, {}],
    ['Starting', { phase: '' }, {}],
    ['Running', { phase: 'Running' }, {}],
    ['Unknown', { phase: 'Unknown' }, {}],
    ['Stopping', { phase: 'Running', terminating: true }, {}],
    ['Stopping', { phase: 'Pending', terminating: true }, {}],
    ['Stopped', { phase: 'Succeeded', terminating: true }, {}],
    ['Paused', { conditions: [{ type: 'Paused', status: 'True' }] }, {}],
    ['Running', { conditions: [{ type: 'Paused', status: 'False' }] }, {}],
    ['Migrating', undefined, { instance: withMigration(migrating) }],
    ['Running', undefined, { instance: withMigration({ ...migrating, completed: true }) }],
    ['Running', undefined, { instance: withMigration({ ...migrating, failed: true }) }],
    ['Running', undefined, { instance: withMigration({ targetNode: 'n' }) }],
    ['ErrorUnschedulable', { phase: 'Scheduling', conditions: [failing('PodScheduled', 'Unschedulable')] }, {}],
    ['ErrorPvcNotFound', { phase: 'Pending', conditions: [failing('Synchronized', 'FailedPvcNotFound')] }, {}],
    ['ErrImagePull', { phase: 'Scheduled', conditions: [failing('Synchronized', 'ErrImagePull')] }, {}],
    ['ImagePullBackOff', { phase: 'Scheduled', conditions: [failing('Synchronized', 'ImagePullBackOff')] }, {}],
    [
      'WaitingForVolumeBinding',
      { phase: 'Pending', conditions: [failing('Synchronized', 'WaitingForVolumeBinding')] },
      {},
    ],
    ['Provisioning', { phase: 'Pending', conditions: [{ type: 'Provisioning', status: 'True' }] }, {}],
    ['CrashLoopBackOff', undefined, { recorded: recordedState({ startFailure }) }],
    ['CrashLoopBackOff', { phase: 'Failed', ran: false }, { recorded: recordedState({ startFailure }) }],
    ['Starting', { phase: 'Pending' }, { recorded: recordedState({ startFailure }) }],
  ])('is %s for %j', (expected, looks, more) => {
    expect(report(machine(), looks, more).printableStatus).toBe(expected);
  });

  it('is Terminating before anything else', () => {
    expect(report(machine('Always', { going: true }), { terminating: true }).printableStatus).toBe('Terminating');
    expect(PRINTABLE_STATUSES[0]).toBe('Terminating');
  });

  it('is that of a stopped VM if failed starts are not retried', () => {
    expect(report(machine('Manual'), undefined, { recorded: recordedState({ startFailure }) }).printableStatus).toBe(
      'Stopped',
    );
  });
});

describe('the status', () => {
  it('reports everything about a running VM', () => {
    const identity = { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' }, b: { mac: '02:00:00:00:00:02' } };
    const remembered = recordedState({ runStrategy: 'Always', identity });
    expect(report(machine(), {}, { recorded: remembered })).toEqual({
      observedGeneration: 7,
      desiredGeneration: 7,
      virtualMachine: 'web',
      created: true,
      ready: true,
      printableStatus: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(-5) }],
      runStrategy: 'Always',
      interfaces: [
        { name: 'default', mac: '02:00:00:00:00:01', ipAddress: '10.244.0.9' },
        { name: 'b', mac: '02:00:00:00:00:02' },
      ],
    });
  });

  it('returns all recorded state', () => {
    const remembered: RecordedState = {
      requests: [
        { action: 'Stop', uid: 'i1' },
        { action: 'Start', data: { paused: 'true' } },
      ],
      runStrategy: 'Manual',
      generation: 7,
      startFailure: { consecutiveFailCount: 3, lastFailedVMIUID: 'i9', retryAfterTimestamp: at(50) },
      lastShutdown: { reason: 'NodeLost', message: 'gone', at: at(-70) },
      identity: { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' }, b: { mac: '02:00:00:00:00:02' } },
    };
    const status = report(machine(), {}, { recorded: remembered });
    expect(kubevirt.recordedState(machine('Always', { status }))).toEqual(remembered);
    const none = report(machine('Always', { status }), undefined);
    expect(kubevirt.recordedState(machine('Always', { status: none }))).toEqual(recordedState({ generation: 7 }));
  });

  it('keeps the fields of other writers', () => {
    const others = { snapshotInProgress: 'snap', volumeRequests: [{ a: 1 }] };
    expect(report(machine('Always', { status: others }))).toMatchObject(others);
  });

  it('is the same when it is written again', () => {
    for (const looks of [undefined, { phase: 'Pending' }, {}, { terminating: true }] as const) {
      const status = report(machine(), looks, { restartRequired: looks === undefined ? [] : ['hostname'] });
      expect(
        report(machine('Always', { status }), looks, {
          restartRequired: looks === undefined ? [] : ['hostname'],
          now: NOW + 9000,
        }),
      ).toEqual(status);
    }
  });

  it('reports the generation in effect', () => {
    const made = { annotations: { 'kubevirt.io/vm-generation': '4' } };
    expect(report(machine(), made)).toMatchObject({ observedGeneration: 7, desiredGeneration: 7 });
    expect(report(machine(), made, { restartRequired: ['hostname'] })).toMatchObject({
      observedGeneration: 4,
      desiredGeneration: 7,
    });
    expect(report(machine(), {}, { restartRequired: ['hostname'] }).observedGeneration).toBe(0);
    expect(report(machine()).observedGeneration).toBe(7);
  });
});

describe('the conditions', () => {
  it('are only Ready, which reports that there is no instance, for a stopped VM', () => {
    expect(report(machine()).conditions).toEqual([
      {
        type: 'Ready',
        status: 'False',
        reason: 'VMINotExists',
        message: 'VMI does not exist',
        lastTransitionTime: at(0),
      },
    ]);
    expect(condition(report(machine(), { phase: 'Pending', conditions: [] }), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'VMIConditionMissing',
    });
  });

  it('are those of the instance while it exists', () => {
    const conditions = [
      { type: 'LiveMigratable', status: 'True', lastTransitionTime: at(-4) },
      { type: 'Paused', status: 'True', reason: 'PausedByUser', lastTransitionTime: at(-3) },
    ] as const;
    const status = report(machine(), { conditions });
    expect(status.conditions?.slice(1)).toEqual(conditions);
    expect(report(machine('Always', { status })).conditions).toHaveLength(1);
  });

  it('name the fields that wait for the next start, as long as there are any', () => {
    const status = report(machine(), {}, { restartRequired: ['hostname', 'metadata.labels'] });
    expect(condition(status, 'RestartRequired')).toMatchObject({
      status: 'True',
      message: 'spec changes require a restart: spec.template.spec.hostname, spec.template.metadata.labels',
    });
    expect(condition(report(machine('Always', { status }), {}), 'RestartRequired')).toBeUndefined();
  });

  it('report a problem as long as it lasts, and a failed start until one succeeds', () => {
    const startFailure = { consecutiveFailCount: 1, lastFailedVMIUID: 'i1', retryAfterTimestamp: at(9) };
    const problem = { reason: 'ErrImagePull', message: 'no such image' };
    const status = report(machine(), undefined, { problem, recorded: recordedState({ startFailure }) });
    expect(condition(status, 'Failure')).toEqual({
      type: 'Failure',
      status: 'True',
      ...problem,
      lastTransitionTime: at(0),
    });
    const later = report(
      machine('Always', { status }),
      { phase: 'Pending' },
      { recorded: recordedState({ startFailure }), now: NOW + 5000 },
    );
    expect(condition(later, 'Failure')).toEqual(condition(status, 'Failure'));
    expect(condition(report(machine('Always', { status: later }), {}), 'Failure')).toBeUndefined();
  });

  it('report how the last instance terminated', () => {
    const lastShutdown = { reason: 'GuestShutdown', message: 'the guest shut down', at: at(-40) } as const;
    expect(
      condition(report(machine(), undefined, { recorded: recordedState({ lastShutdown }) }), 'LastShutdown'),
    ).toEqual({
      type: 'LastShutdown',
      status: 'True',
      reason: 'GuestShutdown',
      message: 'the guest shut down',
      lastTransitionTime: at(-40),
    });
  });
});

describe('a request', () => {
  const stop = { action: 'Stop', uid: 'i1' };
  const start = { action: 'Start' };
  const ask = (action: PowerAction, strategy: RunStrategy, looks?: InstanceTraits, options?: PowerOptions) =>
    kubevirt.power(machine(strategy), action, looks && instanceLike(looks), options);
  const already = { conflict: 'VM is already running' };
  const stopped = { conflict: 'VM is not running' };

  it.each<[PowerAction, RunStrategy, InstanceTraits | undefined, PowerOptions | undefined, object]>([
    ['start', 'Halted', undefined, undefined, { spec: { runStrategy: 'Always' } }],
    [
      'start',
      'Halted',
      undefined,
      { paused: true },
      { spec: { runStrategy: 'Always' }, requests: [{ ...start, data: { paused: 'true' } }] },
    ],
    ['start', 'Halted', {}, undefined, already],
    ['start', 'Halted', { phase: 'Unknown' }, undefined, { spec: { runStrategy: 'Always' } }],
    ['start', 'Manual', undefined, undefined, { requests: [start] }],
    ['start', 'Manual', undefined, { paused: true }, { requests: [{ ...start, data: { paused: 'true' } }] }],
    ['start', 'Manual', { phase: 'Scheduling' }, undefined, already],
    ['start', 'Manual', { phase: 'Succeeded' }, undefined, { requests: [stop, start] }],
    ['start', 'Manual', { phase: 'Failed' }, undefined, { requests: [stop, start] }],
    ['start', 'RerunOnFailure', undefined, undefined, { requests: [start] }],
    ['start', 'RerunOnFailure', { phase: 'Succeeded' }, undefined, { requests: [stop, start] }],
    [
      'start',
      'RerunOnFailure',
      { phase: 'Failed' },
      undefined,
      { conflict: 'RerunOnFailure does not support starting VM from failed state' },
    ],
    ['start', 'Always', undefined, undefined, { conflict: 'Always does not support manual start requests' }],
    ['start', 'Always', {}, undefined, already],
    ['start', 'Once', undefined, undefined, { conflict: 'Once does not support manual start requests' }],
    ['stop', 'Always', {}, undefined, { spec: { runStrategy: 'Halted' } }],
    ['stop', 'Always', undefined, undefined, { spec: { runStrategy: 'Halted' } }],
    ['stop', 'Always', {}, { gracePeriodSeconds: 3 }, { spec: { runStrategy: 'Halted' }, gracePeriodSeconds: 3 }],
    ['stop', 'Once', {}, undefined, { spec: { runStrategy: 'Halted' } }],
    ['stop', 'Manual', {}, undefined, { requests: [stop] }],
    ['stop', 'Manual', undefined, undefined, stopped],
    ['stop', 'Manual', { phase: 'Succeeded' }, undefined, stopped],
    ['stop', 'RerunOnFailure', {}, undefined, { requests: [stop] }],
    ['stop', 'RerunOnFailure', undefined, undefined, stopped],
    ['stop', 'Halted', undefined, undefined, stopped],
    [
      'stop',
      'Halted',
      {},
      undefined,
      { conflict: 'Halted only supports manual stop requests with a shorter graceperiod' },
    ],
    ['stop', 'Halted', {}, { gracePeriodSeconds: 0 }, { requests: [stop], gracePeriodSeconds: 0 }],
    ['restart', 'Always', {}, undefined, { requests: [stop, start] }],
    ['restart', 'Manual', {}, undefined, { requests: [stop, start] }],
    ['restart', 'RerunOnFailure', {}, undefined, { requests: [stop, start] }],
    ['restart', 'Manual', undefined, undefined, { conflict: 'VM is not running: Halted' }],
    ['restart', 'Halted', {}, undefined, { conflict: 'RunStategy Halted does not support manual restart requests' }],
    ['restart', 'Once', {}, undefined, { conflict: 'RunStategy Once does not support manual restart requests' }],
  ])('to %s with the run strategy %s, instance %j and options %j', (action, strategy, looks, options, expected) => {
    expect(ask(action, strategy, looks, options)).toEqual(expected);
  });

  it('changes the field that the user has set', () => {
    const vm = { ...machine(), spec: { running: false, template: { spec } } };
    expect(kubevirt.power(vm, 'start', undefined)).toEqual({ spec: { running: true } });
    expect(kubevirt.power({ ...vm, spec: { ...vm.spec, running: true } }, 'stop', instanceLike())).toEqual({
      spec: { running: false },
    });
  });

  it('conflicts with pending requests, but a stop replaces them', () => {
    const status: Status = { stateChangeRequests: [{ action: 'Start' }] };
    const busy = { conflict: 'unable to complete request: stop/start already underway' };
    expect(kubevirt.power(machine('Manual', { status }), 'start', undefined)).toEqual(busy);
    expect(kubevirt.power(machine('Manual', { status }), 'restart', instanceLike())).toEqual(busy);
    expect(kubevirt.power(machine('Manual', { status }), 'stop', instanceLike())).toEqual({ requests: [stop] });
  });

  it('to stop must have a shorter grace period than the instance', () => {
    const given = (seconds: number) => ({ spec: { ...spec, terminationGracePeriodSeconds: seconds } });
    expect(ask('stop', 'Halted', given(30), { gracePeriodSeconds: 30 })).toHaveProperty('conflict');
    expect(ask('stop', 'Halted', given(30), { gracePeriodSeconds: 29 })).toEqual({
      requests: [stop],
      gracePeriodSeconds: 29,
    });
  });
});
