import { describe, expect, it } from 'vitest';
import type { VirtualMachine, VirtualMachineInput } from '#api/novacron/virtual-machine';
import type { ObservedVm } from '#vm/engine/dialect';
import { at, type InstanceTraits, instanceLike, NOW, recordedState, vmMetadata } from '#vm/engine/instance.fixture';
import type { ClaimState, VmDependencies } from '#vm/engine/vm-dependencies';
import { novacron } from './dialect.ts';

type Status = NonNullable<VirtualMachine['status']>;
type Written = NonNullable<NonNullable<VirtualMachineInput['spec']['template']>['spec']>;
type Around = Partial<Omit<VmDependencies, 'referenceNode'>>;

const AROUND = { referenceNode: { cpu: '32', memory: '128Gi' } };
const POLICY = { allowLiveMigration: true, compression: true, encrypted: false };

function machine(more: Partial<Written> = {}, spec: object = {}, status?: Status): VirtualMachine {
  const template = {
    spec: { resources: { cpu: 4, memory: '8Gi' }, image: { source: 'marketplace://debian-12' }, ...more },
  };
  return {
    apiVersion: 'novacron.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: vmMetadata(),
    spec: { running: true, migrationPolicy: POLICY, updateStrategy: { type: 'RollingUpdate' }, template, ...spec },
    ...(status === undefined ? {} : { status }),
  } as VirtualMachine;
}

const desired = (more: Partial<Written> = {}, spec: object = {}, dependencies: Around = {}) =>
  novacron.desiredVm(machine(more, spec), { ...AROUND, ...dependencies });

const report = (
  vm: VirtualMachine,
  looks?: InstanceTraits,
  more: Partial<ObservedVm> = {},
  dependencies: Around = {},
) =>
  novacron.report(
    vm,
    { instance: looks && instanceLike(looks), recorded: recordedState(), restartRequired: [], now: NOW, ...more },
    { ...AROUND, ...dependencies },
  ) as Status;

const conditionIn = ({ conditions }: Status, type: string) => conditions?.find((each) => each.type === type);

describe('the instance of a VM', () => {
  it('has its size, a disk with its image, and an interface on the pod network by default', () => {
    const { spec, runStrategy, blocked } = desired();
    expect(runStrategy).toBe('Always');
    expect(blocked).toBeUndefined();
    expect(spec).toEqual({
      domain: {
        cpu: { sockets: 4, cores: 1, threads: 1 },
        memory: { guest: '8Gi' },
        devices: { disks: [{ name: 'root', bootOrder: 1, disk: { bus: 'virtio' } }] },
      },
      volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'web.novacron-root' } }],
      evictionStrategy: 'LiveMigrateIfPossible',
    });
  });

  it('has the labels of its template, except those that other VMs are found by', () => {
    const labels = { app: 'web', vm: 'victim', 'kubevirt.io/domain': 'victim', 'vm.kubevirt.io/name': 'victim' };
    const vm = machine();
    const spec = { ...vm.spec, template: { ...vm.spec.template, metadata: { labels } } };
    expect(novacron.desiredVm({ ...vm, spec }, AROUND).labels).toEqual({ app: 'web' });
  });

  it('has its volumes, and what cloud-init reads', () => {
    const volumes = [
      { name: 'data', size: '1Gi', accessMode: 'ReadWriteMany' },
      { name: 'cloudinit', size: '1Gi', accessMode: 'ReadOnlyMany' },
    ] as const;
    const { spec } = desired({ volumes: [...volumes], userData: '#cloud-config\n' });
    expect(spec.volumes).toEqual([
      { name: 'root', persistentVolumeClaim: { claimName: 'web.novacron-root' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'web.novacron-data' } },
      { name: 'cloudinit', persistentVolumeClaim: { claimName: 'web.novacron-cloudinit', readOnly: true } },
      { name: 'cloudinit-seed', cloudInitNoCloud: { userData: '#cloud-config\n' } },
    ]);
    expect(spec.domain.devices.disks?.map(({ name, disk }) => [name, disk?.readonly === true])).toEqual([
      ['root', false],
      ['data', false],
      ['cloudinit', true],
      ['cloudinit-seed', false],
    ]);
  });

  it('is connected to the pod network by the name default, and to others by their names', () => {
    const { spec } = desired({ networks: [{ name: 'default' }, { name: 'mgmt.example', type: 'ovs' }] });
    expect(spec.domain.devices.interfaces).toEqual([
      { name: 'default', masquerade: {} },
      { name: 'mgmt-example', bridge: {} },
    ]);
    expect(spec.networks).toEqual([
      { name: 'default', pod: {} },
      { name: 'mgmt-example', multus: { networkName: 'mgmt.example' } },
    ]);
  });

  it('has the placement, labels and annotations of the template', () => {
    const placed = {
      nodeSelector: { zone: 'a' },
      tolerations: [{ key: 'k', operator: 'Exists' as const }],
      affinity: { nodeAffinity: {} },
    };
    const metadata = { labels: { app: 'shop' }, annotations: { owner: 'me' } };
    const vm = machine(placed);
    const { spec, labels, annotations } = novacron.desiredVm({
      ...vm,
      spec: { ...vm.spec, template: { ...vm.spec.template, metadata } },
    });
    expect(spec).toMatchObject(placed);
    expect(labels).toEqual({ app: 'shop' });
    expect(annotations).toMatchObject({ owner: 'me' });
  });

  it.each<[object, string, object]>([
    [{}, 'true', {}],
    [{ allowLiveMigration: false }, 'false', {}],
    [{ bandwidth: '1Gbps' }, 'true', { bandwidthPerMigration: '125000000' }],
    [{ bandwidth: '3bps' }, 'true', { bandwidthPerMigration: '1' }],
  ])('contains with %j how it may be migrated', (policy, allowed, configuration) => {
    const { annotations } = desired({}, { migrationPolicy: { ...POLICY, ...policy } });
    expect(annotations['vimana.io/live-migration']).toBe(allowed);
    expect(JSON.parse(annotations['vimana.io/migration-configuration'] ?? '')).toEqual(configuration);
  });

  it.each<[string, Partial<Written>, ClaimState[] | undefined, object | undefined]>([
    ['claims are unknown', {}, undefined, undefined],
    ['its claim is bound', {}, [{ name: 'web.novacron-root', state: 'bound' }], undefined],
    ['its claim is not created yet', {}, [], { reason: 'ClaimMissing', transient: true }],
    [
      'its claim has another owner',
      {},
      [{ name: 'web.novacron-root', state: 'taken', reason: 'ClaimTaken', message: 'no' }],
      { reason: 'ClaimTaken', message: 'no' },
    ],
    [
      'it was stored with an unsupported field',
      { devices: [{ type: 'gpu' }] },
      undefined,
      {
        reason: 'NotServed',
        message: 'spec.template.spec.devices is not supported yet: remove host devices',
      },
    ],
  ])('is blocked or not if %s', (_what, more, views, expected) => {
    const claims = views && new Map(views.map((each) => [each.name.slice('web.novacron-'.length), each]));
    const { blocked } = desired(more, {}, claims === undefined ? {} : { claims });
    if (expected === undefined) expect(blocked).toBeUndefined();
    else expect(blocked).toMatchObject(expected);
  });
});

describe('the phase of a VM', () => {
  const migrationState = { startTimestamp: at(-5), targetNode: 'n2' };
  it.each<[Status['phase'], string, object, InstanceTraits | undefined, Partial<ObservedVm>]>([
    ['Pending', 'is to run and has no instance', {}, undefined, {}],
    ['Stopped', 'is not to run', { running: false }, undefined, {}],
    ['Pending', 'waits for a node', {}, { phase: 'Scheduling' }, {}],
    ['Running', 'runs', {}, {}, {}],
    ['Running', 'is being stopped, and runs', { running: false }, { terminating: true }, {}],
    ['Failed', 'is on a node that nobody hears of', {}, { phase: 'Unknown' }, {}],
    ['Failed', 'has ended by a fault', {}, { phase: 'Failed', reason: 'Crashed' }, {}],
    ['Pending', 'has ended because it was told to', {}, { phase: 'Succeeded', terminating: true }, {}],
    ['Failed', 'cannot be started', {}, undefined, { problem: { reason: 'Forbidden', message: 'quota' } }],
  ])('is %s if it %s', (phase, _what, spec, looks, more) => {
    expect(report(machine({}, spec), looks, more).phase).toBe(phase);
  });

  it('is Migrating during a migration, with its progress', () => {
    const instance = instanceLike();
    const moves = (state: object, seconds: number) =>
      report(machine(), undefined, {
        instance: { ...instance, status: { ...instance.status, migrationState: { ...migrationState, ...state } } },
        now: NOW + seconds * 1000,
      });
    const end = { expectedEndTimestamp: at(95), sourceNode: 'n1' };
    expect(moves(end, 45)).toMatchObject({
      phase: 'Migrating',
      migration: { sourceNode: 'n1', targetNode: 'n2', startTime: at(-5), progress: 40, state: 'Running' },
    });
    expect(moves({ ...end, completed: true, endTimestamp: at(90) }, 91)).toMatchObject({
      phase: 'Running',
      migration: { progress: 100, state: 'Succeeded', endTime: at(90) },
    });
    expect(moves({ completed: true, failed: true, failureReason: 'no room' }, 9)).toMatchObject({
      phase: 'Running',
      migration: { progress: 0, state: 'Failed', message: 'no room' },
    });
    const last = { targetNode: 'n2', progress: 100, state: 'Succeeded' };
    expect(report(machine({}, { running: false }, { migration: last })).migration).toEqual(last);
  });
});

describe('the status of a VM', () => {
  it('reports its node, addresses and usage', () => {
    const instance = instanceLike();
    const interfaces = [{ name: 'default', ipAddress: '10.0.0.5', ipAddresses: ['10.0.0.5', 'fd00::5'] }];
    const running = { ...instance, status: { ...instance.status, nodeName: 'n1', interfaces } };
    const usage = { cpuCores: 2.301, memoryBytes: 5 * 2 ** 30 };
    const vm = machine({ resources: { cpu: 4, memory: '8Gi', disk: '100Gi' } });
    const status = report(vm, undefined, { instance: running }, { usage });
    expect(status).toMatchObject({
      observedGeneration: 3,
      nodeName: 'n1',
      vmID: 'i1',
      ipAddresses: ['10.0.0.5', 'fd00::5'],
      resources: {
        cpu: { used: '2.3', available: '4', percentage: 57.5 },
        memory: { used: '5120Mi', available: '8Gi', percentage: 62.5 },
        disk: { available: '100Gi' },
      },
      lastUpdated: at(0),
    });
    // It stays until the next measurement, and no longer than the VM runs.
    expect(report({ ...vm, status }, undefined, { instance: running }).resources).toEqual(status.resources);
    expect(report({ ...vm, status }, { phase: 'Failed' }).resources?.cpu).toEqual({ available: '4' });
  });

  it('reports the size of the guest, whatever the spec requests by now', () => {
    const instance = instanceLike();
    const size = { currentCPUTopology: { sockets: 2, cores: 1, threads: 1 }, memory: { guestCurrent: '4Gi' } };
    const running = { ...instance, status: { ...instance.status, ...size } };
    const usage = { cpuCores: 1, memoryBytes: 2 ** 30 };
    expect(report(machine(), undefined, { instance: running }, { usage }).resources).toEqual({
      cpu: { used: '1', available: '2', percentage: 50 },
      memory: { used: '1024Mi', available: '4Gi', percentage: 25 },
      disk: { available: '10Gi' },
    });
    expect(report(machine({}, { running: false })).resources?.memory).toEqual({ available: '8Gi' });
  });

  it('reports the size of the root disk if it is known', () => {
    const sizeOf = (more: Partial<Written>, small?: string) => {
      const claim = { name: 'web.novacron-root', state: 'bound', ...(small === undefined ? {} : { size: small }) };
      return report(machine(more), {}, {}, { claims: new Map([['root', claim as ClaimState]]) }).resources?.disk;
    };
    expect(sizeOf({})).toEqual({ available: '10Gi' });
    expect(sizeOf({ image: { source: 'pvc://default/golden' } })).toBeUndefined();
    expect(sizeOf({ resources: { cpu: 1, memory: '1Gi', disk: '20Gi' } }, '15Gi')).toEqual({ available: '15Gi' });
  });

  it('reports the time of the last change, not of the last check', () => {
    const first = report(machine(), {});
    const vm = machine({}, {}, first);
    expect(report(vm, {}, { now: NOW + 60_000 })).toEqual(first);
    const later = report(vm, { conditions: [] }, { now: NOW + 60_000 });
    expect(later.lastUpdated).toBe(at(60));
  });

  const movable = (status: 'True' | 'False', more = {}) => ({ type: 'LiveMigratable', status, ...more });
  it.each<[string, string, InstanceTraits | undefined, object, object]>([
    ['Ready', 'it runs', {}, {}, { status: 'True', reason: 'VMReady' }],
    ['Ready', 'it is off', undefined, { running: false }, { status: 'False', reason: 'Stopped' }],
    ['Ready', 'it is paused', { conditions: [{ type: 'Paused', status: 'True' }] }, {}, { reason: 'Paused' }],
    ['Paused', 'it is paused', { conditions: [{ type: 'Paused', status: 'True' }] }, {}, { status: 'True' }],
    ['Paused', 'it runs', {}, {}, { status: 'False' }],
    [
      'LiveMigratable',
      'it can be moved',
      { conditions: [movable('True')] },
      {},
      { status: 'True', reason: 'MigrationCapable' },
    ],
    [
      'LiveMigratable',
      'its disks do not allow it',
      { conditions: [movable('False', { reason: 'DisksNotLiveMigratable', message: 'not shared' })] },
      {},
      { status: 'False', reason: 'DisksNotLiveMigratable', message: 'not shared' },
    ],
    [
      'LiveMigratable',
      'its policy forbids it',
      { conditions: [movable('True')] },
      { migrationPolicy: { ...POLICY, allowLiveMigration: false } },
      { status: 'False', reason: 'NotAllowed' },
    ],
    ['LiveMigratable', 'it is off', undefined, { running: false }, { status: 'False', reason: 'NotRunning' }],
  ])('reports %s if %s', (type, _what, looks, spec, expected) => {
    expect(conditionIn(report(machine({}, spec), looks), type)).toMatchObject(expected);
  });

  it('reports only the problems of disks', () => {
    const seen = (view: Omit<ClaimState, 'name'>) => ({
      claims: new Map([['root', { name: 'web.novacron-root', ...view } as ClaimState]]),
    });
    expect(conditionIn(report(machine(), {}, {}, seen({ state: 'bound' })), 'DiskReady')).toBeUndefined();
    const small = seen({ state: 'bound', reason: 'DiskCannotGrow', message: 'no' });
    expect(conditionIn(report(machine(), {}, {}, small), 'DiskReady')).toMatchObject({
      status: 'False',
      reason: 'DiskCannotGrow',
    });
    const off = report(machine({}, { running: false }), undefined, {}, seen({ state: 'missing' }));
    expect(conditionIn(off, 'DiskReady')).toBeUndefined();
  });

  it('names fields that wait for the next start as users write them', () => {
    const fields = ['domain.cpu.sockets', 'volumes', 'domain.devices.disks', 'metadata.labels'];
    expect(conditionIn(report(machine(), {}, { restartRequired: fields }), 'RestartRequired')?.message).toBe(
      'spec changes require a restart: spec.template.spec.resources.cpu, spec.template.spec.volumes, spec.template.metadata.labels',
    );
  });

  it('records what the next reconcile starts from', () => {
    const kept = recordedState({
      identity: { default: { mac: '02:00:00:00:00:01', ip: '10.0.0.5' } },
      requests: [{ action: 'Stop', uid: 'i1' }],
      lastShutdown: { reason: 'Error', message: 'crashed', at: at(-9) },
      startFailure: { consecutiveFailCount: 2, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(20) },
    });
    const status = report(machine(), undefined, { recorded: kept });
    expect(novacron.recordedState(machine({}, {}, status))).toEqual({ ...kept, generation: 3 });
  });
});

describe('a request to a VM', () => {
  it('becomes a change of its power, size or copy', () => {
    const vm = machine({ resources: { cpu: 4, memory: 8_589_934_592, disk: '9Gi' } });
    expect(novacron.power(vm, 'stop', instanceLike())).toEqual({ spec: { running: false } });
    expect(novacron.power(vm, 'restart', instanceLike())).toMatchObject({
      requests: [{ action: 'Stop', uid: 'i1' }, {}],
    });
    expect(novacron.size?.(vm)).toEqual({ cpus: 4, memory: '8589934592' });
    expect(novacron.resize?.(vm, { cpus: 8, memory: '16Gi' })).toEqual({
      spec: { template: { spec: { resources: { cpu: 8, memory: '16Gi' } } } },
    });
    const copying = { name: 'b', namespace: 'other', start: false, claims: new Map() };
    expect(novacron.cloneVmSpec?.(vm, copying)).toEqual({ ...vm.spec, running: false });
    expect(novacron.claimOf?.('b', 'data')).toBe('b.novacron-data');
    expect([novacron.phase(vm), novacron.phase(machine({}, {}, { phase: 'Failed' }))]).toEqual(['Pending', 'Failed']);
  });
});
