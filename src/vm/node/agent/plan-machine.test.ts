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

describe('a launcher pod at home', () => {
  it.each<Row>([
    ['starts its machine', {}, ['start']],
    ['waits for what holds it up', { waiting: true }, []],
    ['waits for the lease of its node', { leaseHeld: false }, []],
    ['starts nothing that is to end', { pod: pod(dying) }, []],
    ['starts nothing for an instance that is to end', { instance: instance({}, dying) }, []],
    ['starts nothing once it has ended itself', { pod: pod({}, { phase: 'Failed' }) }, []],
    ['takes up a machine that is said to run', { instance: instance(running()) }, ['adopt']],
    [
      'takes up none while its node may have been declared lost',
      { instance: instance(running()), undecided: true },
      [],
    ],
    [
      'takes up nothing once it has ended itself',
      { instance: instance(running()), pod: pod({}, { phase: 'Succeeded' }) },
      [],
    ],
    ['leaves a machine that runs alone', { instance: instance(running()), machine: machine('running') }, []],
    ['leaves one that has ended alone', { instance: instance(running()), machine: machine('ended') }, []],
    [
      'starts where a node was chosen and named',
      { instance: instance({ phase: 'Scheduled', nodeName: 'here', activePods: { pod: 'here' } }) },
      ['start'],
    ],
    [
      'starts where the pod was noted before it had a node',
      { instance: instance({ phase: 'Scheduling', activePods: { pod: '' } }) },
      ['start'],
    ],
  ])('%s', (_what, observed, desired) => {
    expect(actions(observed)).toEqual(desired);
  });

  it.each<Row>([
    ['is gone', { instance: undefined }, ['kill']],
    ['has ended', { instance: instance(running({ phase: 'Failed' })) }, ['kill']],
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

  it('never starts one for an instance that is final, elsewhere or gone', () => {
    for (const phase of ['Succeeded', 'Failed'] as const)
      expect(actions({ instance: instance({ phase }) })).toEqual([]);
    expect(actions({ instance: instance({ nodeName: 'there' }) })).toEqual([]);
    expect(actions({ instance: undefined })).toEqual([]);
  });

  it('stops a machine within the least time that anybody gives it', () => {
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

  it('asks a guest again to shut down only where it gets less time than before', () => {
    const stopping = { machine: machine('stopping'), instance: instance(running()), pod: pod(dying) };
    expect(actions({ ...stopping, requestedGraceMs: 45_000 })).toEqual([]);
    expect(actions({ ...stopping, requestedGraceMs: 30_000 })).toEqual([]);
    expect(actions({ ...stopping, requestedGraceMs: 60_000 })).toEqual(['stop']);
  });

  it.each<Row>([
    ['does not let go on a machine that is held back', { held: true, machine: machine('paused') }, []],
    [
      'kills one that is held back and not wanted any more',
      { held: true, machine: machine('paused'), pod: pod(dying) },
      ['kill'],
    ],
    ['ends one that does not answer', { unhealthy: true, machine: machine('running') }, ['kill']],
    [
      'pauses',
      { machine: machine('running'), instance: instance(running(), { annotations: { 'vimana.io/paused': 'true' } }) },
      ['pause'],
    ],
    [
      'pauses once',
      { machine: machine('paused'), instance: instance(running(), { annotations: { 'vimana.io/paused': 'true' } }) },
      [],
    ],
    ['resumes', { machine: machine('paused') }, ['resume']],
    [
      'leaves paused what starts paused',
      { machine: machine('paused'), instance: instance(running(), {}, { startStrategy: 'Paused' }) },
      [],
    ],
    [
      'resumes what started paused when told to',
      {
        machine: machine('paused'),
        instance: instance(running(), { annotations: { 'vimana.io/paused': 'false' } }, { startStrategy: 'Paused' }),
      },
      ['resume'],
    ],
    [
      'resets',
      { machine: machine('running'), instance: instance(running(), { annotations: { 'vimana.io/reset': 'a' } }) },
      ['reset'],
    ],
    [
      'reboots',
      { machine: machine('running'), instance: instance(running(), { annotations: { 'vimana.io/soft-reboot': 'a' } }) },
      ['soft reboot'],
    ],
    [
      'does nothing to one that is shutting down',
      { machine: machine('stopping'), instance: instance(running(), { annotations: { 'vimana.io/reset': 'a' } }) },
      [],
    ],
  ])('%s', (_what, observed, desired) => {
    expect(actions({ instance: instance(running()), ...observed })).toEqual(desired);
  });
});

describe('a machine whose place is of another size', () => {
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
    ['waits where it cannot have so many', held(5), []],
    ['waits where it cannot have so much', held(1, '5Gi'), []],
    ['stays where its place is as large as it is, whatever its instance asks for', held(1), []],
    ['stays as it is where nobody says how large its place is', unreported({ currentCPUTopology: { sockets: 1 } }), []],
    ['is what its instance asks for where nobody ever said anything', unreported({}), ['resize']],
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
      'does not begin again what it has lost track of',
      at({ targetNodeAddress: 'there/vmi', startTimestamp: 'then' }),
      [],
    ],
    ['does not begin what was given up', at({ targetNodeAddress: 'there/vmi', abortRequested: true }), []],
    ['does not begin what is over', at({ targetNodeAddress: 'there/vmi', completed: true }), []],
    [
      'gives up when asked to',
      at({ targetNodeAddress: 'there/vmi', abortRequested: true }, active()),
      ['cancel migration'],
    ],
    ['gives up one that nobody knows of', at({ targetNodeAddress: 'there/vmi' }, active('old')), ['cancel migration']],
    ['leaves alone what another pod is to send', at({ targetNodeAddress: 'there/vmi', sourcePod: 'another' }), []],
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
    ['gets ready', at({}), ['prepare']],
    ['gets ready again where nobody was told', at({ machine: machine('incoming') }), ['prepare']],
    ['waits', at({ machine: machine('incoming'), instance: from({ targetNodeAddress: 'x' }) }), []],
    [
      'gets ready again where its agent has started again',
      at({ instance: from({ targetNodeAddress: 'x' }) }),
      ['prepare'],
    ],
    [
      'gets nothing ready for one that has set out and is lost',
      at({ instance: from({ targetNodeAddress: 'x', startTimestamp: 'then' }) }),
      [],
    ],
    ['gets nothing ready without a lease', at({ leaseHeld: false }), []],
    ['keeps what has arrived', at({ machine: machine('running'), instance: from({ targetNodeAddress: 'x' }) }), []],
    [
      'keeps what has arrived though others still think otherwise',
      at({ machine: machine('running'), instance: from({ abortRequested: true }) }),
      [],
    ],
    [
      'puts away what will not come',
      at({ machine: machine('incoming'), instance: from({ completed: true, failed: true }) }),
      ['kill'],
    ],
    [
      'puts away what was given up',
      at({ machine: machine('incoming'), instance: from({ abortRequested: true }) }),
      ['kill'],
    ],
    ['puts away what is not to come any more', at({ machine: machine('incoming'), pod: target(dying) }), ['kill']],
    ['gets nothing ready for one that is over', at({ instance: from({ completed: true }) }), []],
    ['never starts the machine itself', at({ instance: instance({ phase: 'Scheduled' }) }), []],
  ])('%s', (_what, found, desired) => {
    expect(found).toEqual(desired);
  });

  it('is the home of the machine once it is said to be there', () => {
    const there = instance(running({ activePods: { other: 'here' }, ...migration({ completed: true }) }));
    expect(roleOf(target(), there, 'here')).toBe('active');
    expect(roleOf(pod(), there, 'elsewhere')).toBe('none');
  });

  it('has nothing to do with a migration to another pod', () => {
    expect(roleOf(target(), from({ migrationUid: 'newer', targetPod: 'another' }), 'here')).toBe('none');
  });
});
