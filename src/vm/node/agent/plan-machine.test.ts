import { describe, expect, it } from 'vitest';
import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Machine } from '../machine-driver.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { type AgentView, planMachine } from './plan-machine.ts';
import { roleOf } from './role.ts';

const pod = (metadata: object = {}, status: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'launcher', namespace: 'n', uid: 'pod', ...metadata },
  spec: { nodeName: 'here', containers: [] },
  status: { phase: 'Running', ...status },
});
const target = (metadata: object = {}) =>
  pod({ name: 'target', uid: 'other', labels: { 'kubevirt.io/migrationJobUID': 'mig' }, ...metadata });

type Status = Partial<NonNullable<Vmi['status']>>;
const sized = (cpu: object = {}, guest = '1Gi') => ({ domain: { cpu, memory: { guest }, devices: {} } });
const instance = (status: Status = {}, metadata: object = {}, spec: object = {}): Vmi =>
  ({
    metadata: { name: 'm', namespace: 'n', uid: 'vmi', ...metadata },
    spec: { ...sized(), ...spec },
    status,
  }) as unknown as Vmi;
const running = (more: Status = {}): Status => ({
  phase: 'Running',
  nodeName: 'here',
  activePods: { pod: 'here' },
  ...more,
});
const machine = (state: Machine['state'], more: Partial<Machine> = {}): Machine => ({
  spec: {
    id: 'vmi',
    pod: { name: 'launcher', uid: 'pod' },
    cpu: { sockets: 1, cores: 1, threads: 1 },
    maxSockets: 4,
    memoryBytes: 2 ** 30,
    maxMemoryBytes: 2 ** 32,
  } as MachineSpec,
  state,
  startedAt: 0,
  booted: true,
  ...(state === 'ended' ? { ended: { reason: 'Stopped', at: 0, message: '' } } : {}),
  ...more,
});
const dying = { deletionTimestamp: '2030-01-01T00:00:30Z', deletionGracePeriodSeconds: 45 };
const migration = (more: object = {}) => ({
  migrationState: {
    migrationUid: 'mig',
    sourceNode: 'here',
    sourcePod: 'launcher',
    targetNode: 'there',
    targetPod: 'target',
    ...more,
  },
});

const actions = (observed: Partial<AgentView>) =>
  planMachine({
    node: 'here',
    pod: pod(),
    instance: instance(),
    machine: undefined,
    held: false,
    requestedGraceMs: undefined,
    waiting: false,
    leaseHeld: true,
    undecided: false,
    unhealthy: false,
    ...observed,
  }).map((action) => action.do);

type Row = readonly [what: string, observed: Partial<AgentView>, wanted: readonly string[]];

describe('an active launcher pod', () => {
  it.each<Row>([
    ['starts its machine', {}, ['start']],
    ['waits for a start blocker', { waiting: true }, []],
    ['waits for the lease of its node', { leaseHeld: false }, []],
    ['starts nothing if it is terminating', { pod: pod(dying) }, []],
    ['starts nothing for a terminating instance', { instance: instance({}, dying) }, []],
    ['starts nothing after it has terminated', { pod: pod({}, { phase: 'Failed' }) }, []],
    ['adopts a machine that is reported as running', { instance: instance(running()) }, ['adopt']],
    [
      'adopts no machine while its node may have been declared lost',
      { instance: instance(running()), undecided: true },
      [],
    ],
    [
      'adopts nothing after it has terminated',
      { instance: instance(running()), pod: pod({}, { phase: 'Succeeded' }) },
      [],
    ],
    ['does nothing if its machine runs', { instance: instance(running()), machine: machine('running') }, []],
    ['does nothing if its machine has terminated', { instance: instance(running()), machine: machine('ended') }, []],
    [
      'starts its machine if the VM names the node',
      { instance: instance({ phase: 'Scheduled', nodeName: 'here', activePods: { pod: 'here' } }) },
      ['start'],
    ],
    [
      'starts its machine if the pod was recorded before it had a node',
      { instance: instance({ phase: 'Scheduling', activePods: { pod: '' } }) },
      ['start'],
    ],
  ])('%s', (_what, observed, desired) => {
    expect(actions(observed)).toEqual(desired);
  });

  it.each<Row>([
    ['is deleted', { instance: undefined }, ['kill']],
    ['has terminated', { instance: instance(running({ phase: 'Failed' })) }, ['kill']],
    [
      'runs elsewhere',
      { instance: instance(running({ nodeName: 'there', activePods: { other: 'there' } })) },
      ['kill'],
    ],
    ['runs here in another pod', { instance: instance(running({ activePods: { other: 'here' } })) }, ['kill']],
  ])('kills a machine whose instance %s', (_what, observed, desired) => {
    expect(actions({ machine: machine('running'), ...observed })).toEqual(desired);
    expect(actions({ ...observed })).toEqual([]);
  });

  it('never starts a machine for an instance that has terminated, runs elsewhere or is deleted', () => {
    for (const phase of ['Succeeded', 'Failed'] as const)
      expect(actions({ instance: instance({ phase }) })).toEqual([]);
    expect(actions({ instance: instance({ nodeName: 'there' }) })).toEqual([]);
    expect(actions({ instance: undefined })).toEqual([]);
  });

  it('stops a machine within its shortest grace period', () => {
    const grace = (observed: Partial<AgentView>) =>
      planMachine({
        node: 'here',
        pod: pod(),
        instance: instance(running()),
        machine: machine('running'),
        held: false,
        requestedGraceMs: undefined,
        waiting: false,
        leaseHeld: true,
        undecided: false,
        unhealthy: false,
        ...observed,
      });
    expect(grace({ instance: instance(running(), dying) })).toEqual([{ do: 'stop', graceMs: 30_000 }]);
    const spec = { terminationGracePeriodSeconds: 180 };
    expect(grace({ instance: instance(running(), dying, spec) })).toEqual([{ do: 'stop', graceMs: 180_000 }]);
    expect(grace({ pod: pod(dying) })).toEqual([{ do: 'stop', graceMs: 45_000 }]);
    expect(grace({ pod: pod(dying), instance: instance(running(), dying, spec) })).toEqual([
      { do: 'stop', graceMs: 45_000 },
    ]);
  });

  it('requests another shutdown only with a shorter grace period', () => {
    const stopping = { machine: machine('stopping'), instance: instance(running()), pod: pod(dying) };
    expect(actions({ ...stopping, requestedGraceMs: 45_000 })).toEqual([]);
    expect(actions({ ...stopping, requestedGraceMs: 30_000 })).toEqual([]);
    expect(actions({ ...stopping, requestedGraceMs: 60_000 })).toEqual(['stop']);
  });

  it.each<Row>([
    ['does not resume a machine that is held', { held: true, machine: machine('paused') }, []],
    [
      'kills a held machine that is no longer desired',
      { held: true, machine: machine('paused'), pod: pod(dying) },
      ['kill'],
    ],
    ['kills a machine that does not respond', { unhealthy: true, machine: machine('running') }, ['kill']],
    [
      'pauses its machine',
      { machine: machine('running'), instance: instance(running(), { annotations: { 'vimana.io/paused': 'true' } }) },
      ['pause'],
    ],
    [
      'pauses its machine once',
      { machine: machine('paused'), instance: instance(running(), { annotations: { 'vimana.io/paused': 'true' } }) },
      [],
    ],
    ['resumes its machine', { machine: machine('paused') }, ['resume']],
    [
      'keeps a machine paused that starts paused',
      { machine: machine('paused'), instance: instance(running(), {}, { startStrategy: 'Paused' }) },
      [],
    ],
    [
      'resumes on request a machine that started paused',
      {
        machine: machine('paused'),
        instance: instance(running(), { annotations: { 'vimana.io/paused': 'false' } }, { startStrategy: 'Paused' }),
      },
      ['resume'],
    ],
    [
      'resets its machine',
      { machine: machine('running'), instance: instance(running(), { annotations: { 'vimana.io/reset': 'a' } }) },
      ['reset'],
    ],
    [
      'reboots its machine',
      { machine: machine('running'), instance: instance(running(), { annotations: { 'vimana.io/soft-reboot': 'a' } }) },
      ['soft reboot'],
    ],
    [
      'does nothing to a machine that is shutting down',
      { machine: machine('stopping'), instance: instance(running(), { annotations: { 'vimana.io/reset': 'a' } }) },
      [],
    ],
  ])('%s', (_what, observed, desired) => {
    expect(actions({ instance: instance(running()), ...observed })).toEqual(desired);
  });
});

describe('a machine whose pod has another size', () => {
  const held = (sockets: number, memory = '1Gi') =>
    actions({
      instance: instance(running(), {}, sized({ sockets: 2 }, '2Gi')),
      machine: machine('running'),
      pod: pod({ annotations: { 'vimana.io/size': JSON.stringify({ sockets, memory }) } }),
    });
  const unreported = (status: object) =>
    actions({ instance: instance(running(status), {}, sized({ sockets: 2 })), machine: machine('running') });
  it.each<[string, string[], string[]]>([
    ['gets more sockets', held(3), ['resize']],
    ['gets more memory', held(1, '4Gi'), ['resize']],
    ['waits if it cannot have so many sockets', held(5), []],
    ['waits if it cannot have so much memory', held(1, '5Gi'), []],
    ['is unchanged if it has the size of its pod, whatever its instance requests', held(1), []],
    ['is unchanged if the size of its pod is unknown', unreported({ currentCPUTopology: { sockets: 1 } }), []],
    ['has the size that its instance requests if no other is known', unreported({}), ['resize']],
  ])('%s', (_what, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('the source of a migration', () => {
  const at = (state: object, found = machine('running')) =>
    actions({ instance: instance(running(migration(state))), machine: found });
  const active = (uid = 'mig') =>
    machine('running', {
      migration: {
        uid,
        state: 'active',
        startedAt: 0,
        mode: 'PreCopy',
        transferredBytes: 0,
        totalBytes: 1,
        remainingBytes: 1,
      },
    });
  it.each<[string, string[], string[]]>([
    ['waits for the target', at({}), []],
    ['sends when the target listens', at({ targetNodeAddress: 'there/vmi' }), ['migrate']],
    ['sends once', at({ targetNodeAddress: 'there/vmi' }, active()), []],
    [
      'does not restart a migration that it no longer knows',
      at({ targetNodeAddress: 'there/vmi', startTimestamp: 'then' }),
      [],
    ],
    ['does not start a canceled migration', at({ targetNodeAddress: 'there/vmi', abortRequested: true }), []],
    ['does not start a finished migration', at({ targetNodeAddress: 'there/vmi', completed: true }), []],
    [
      'cancels on request',
      at({ targetNodeAddress: 'there/vmi', abortRequested: true }, active()),
      ['cancel migration'],
    ],
    [
      'cancels a migration that does not exist',
      at({ targetNodeAddress: 'there/vmi' }, active('old')),
      ['cancel migration'],
    ],
    ['ignores a migration from another pod', at({ targetNodeAddress: 'there/vmi', sourcePod: 'another' }), []],
  ])('%s', (_what, found, desired) => {
    expect(found).toEqual(desired);
  });
});

describe('the target of a migration', () => {
  const from = (more: object = {}) =>
    instance(
      running({
        nodeName: 'away',
        activePods: { source: 'away' },
        ...migration({ sourceNode: 'away', targetNode: 'here', ...more }),
      }),
    );
  const at = (observed: Partial<AgentView>) => actions({ pod: target(), instance: from(), ...observed });
  it.each<[string, string[], string[]]>([
    [
      'waits for the migration to be announced',
      at({ instance: instance(running({ nodeName: 'away', activePods: { s: 'away' } })) }),
      [],
    ],
    ['prepares to receive', at({}), ['prepare']],
    ['prepares again if that was not reported', at({ machine: machine('incoming') }), ['prepare']],
    ['waits', at({ machine: machine('incoming'), instance: from({ targetNodeAddress: 'x' }) }), []],
    [
      'prepares again after a restart of the node agent',
      at({ instance: from({ targetNodeAddress: 'x' }) }),
      ['prepare'],
    ],
    [
      'does not prepare for a migration that started and was lost',
      at({ instance: from({ targetNodeAddress: 'x', startTimestamp: 'then' }) }),
      [],
    ],
    ['does not prepare without a lease', at({ leaseHeld: false }), []],
    [
      'keeps a machine that has arrived',
      at({ machine: machine('running'), instance: from({ targetNodeAddress: 'x' }) }),
      [],
    ],
    [
      'keeps a machine that has arrived before that is reported',
      at({ machine: machine('running'), instance: from({ abortRequested: true }) }),
      [],
    ],
    [
      'cleans up if the migration failed',
      at({ machine: machine('incoming'), instance: from({ completed: true, failed: true }) }),
      ['kill'],
    ],
    [
      'cleans up if the migration was canceled',
      at({ machine: machine('incoming'), instance: from({ abortRequested: true }) }),
      ['kill'],
    ],
    ['cleans up if the migration was replaced', at({ machine: machine('incoming'), pod: target(dying) }), ['kill']],
    ['does not prepare for a finished migration', at({ instance: from({ completed: true }) }), []],
    ['never starts the machine itself', at({ instance: instance({ phase: 'Scheduled' }) }), []],
  ])('%s', (_what, found, desired) => {
    expect(found).toEqual(desired);
  });

  it('is the active pod once the instance reports that', () => {
    const there = instance(running({ activePods: { other: 'here' }, ...migration({ completed: true }) }));
    expect(roleOf(target(), there, 'here')).toBe('active');
    expect(roleOf(pod(), there, 'elsewhere')).toBe('none');
  });

  it('ignores a migration to another pod', () => {
    expect(roleOf(target(), from({ migrationUid: 'newer', targetPod: 'another' }), 'here')).toBe('none');
  });
});
