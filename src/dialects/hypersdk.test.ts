import { describe, expect, it } from 'vitest';
import type { VirtualMachine, VirtualMachineInput } from '../api/hypersdk/virtual-machine.ts';
import type { MachineMemory, ObservedMachine, PowerAction, PowerOptions } from '../machine/dialect.ts';
import { at, instanceLike, type Looks, memory, NOW } from '../machine/instance.fixture.ts';
import type { ClaimSight, Surroundings } from '../machine/surroundings.ts';
import { hypersdk } from './hypersdk.ts';

type Status = NonNullable<VirtualMachine['status']>;
type Spec = VirtualMachine['spec'];
type Around = Partial<Omit<Surroundings, 'referenceNode'>>;

const REFERENCE = { referenceNode: { cpu: '32', memory: '128Gi' } };
const DISK = { name: 'root', size: '20Gi', storageClass: 'standard', type: 'disk' } as const;
const HA: NonNullable<Spec['highAvailability']> = {
  enabled: true,
  restartPolicy: 'Always',
  restartDelay: '15s',
  maxRestarts: 5,
  evictionStrategy: 'LiveMigrate',
};
const machine = (
  spec: Partial<VirtualMachineInput['spec']> = {},
  more: { status?: Status; annotations?: Record<string, string> } = {},
): VirtualMachine =>
  ({
    apiVersion: 'hypersdk.io/v1alpha1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'vm',
      resourceVersion: '1',
      generation: 3,
      creationTimestamp: at(-600),
      ...(more.annotations === undefined ? {} : { annotations: more.annotations }),
    },
    spec: { cpus: 4, memory: '8Gi', running: true, machineType: 'q35', ...spec },
    ...(more.status === undefined ? {} : { status: more.status }),
  }) as VirtualMachine;
const desired = (spec: Partial<VirtualMachineInput['spec']> = {}, around: Around = {}) =>
  hypersdk.desired(machine(spec), { ...REFERENCE, ...around });
const report = (vm: VirtualMachine, looks?: Looks, more: Partial<ObservedMachine> = {}, around: Around = {}) =>
  hypersdk.report(
    vm,
    { instance: looks && instanceLike(looks), memory: memory(), restartRequired: [], now: NOW, ...more },
    { ...REFERENCE, ...around },
  ) as Status;
const condition = ({ conditions }: Status, type: string) => conditions?.find((each) => each.type === type);
const claims = (...sights: ClaimSight[]) => ({ claims: new Map(sights.map((each) => [each.name.slice(4), each])) });

describe('what a machine of hypersdk.io asks for', () => {
  it('is a machine with sockets to plug into, and nothing that nobody asked for', () => {
    expect(desired()).toEqual({
      runStrategy: 'Always',
      labels: { 'hypersdk.io/vm': 'web' },
      annotations: {},
      spec: {
        domain: {
          cpu: { sockets: 4, cores: 1, threads: 1 },
          memory: { guest: '8Gi' },
          machine: { type: 'q35' },
          devices: {},
        },
        evictionStrategy: 'None',
      },
      restarts: {
        when: 'never',
        delayMs: 0,
        most: 0,
        windowMs: 600_000,
        words: 'spec.highAvailability is not enabled',
      },
    });
    expect(desired({ running: false }).runStrategy).toBe('Halted');
  });

  it('is put where it is to be, under the labels that it is to have', () => {
    const nodeSelector = { disk: 'ssd' };
    const tolerations = [{ key: 'dedicated', operator: 'Exists' as const }];
    const given = desired({ nodeSelector, tolerations, labels: { app: 'x' }, annotations: { note: 'y' } });
    expect(given.spec).toMatchObject({ nodeSelector, tolerations });
    expect(given.labels).toEqual({ app: 'x', 'hypersdk.io/vm': 'web' });
    expect(given.annotations).toEqual({ note: 'y' });
  });

  it('prefers the nodes that electricity speaks for, beside those of its own', () => {
    const own = { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' as const }] } };
    const green = { weight: 9, preference: { matchExpressions: [{ key: 'z', operator: 'Exists' as const }] } };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [own] } };
    const carbon = { condition: { status: 'True', reason: 'Green', message: '' }, preferred: [green] } as const;
    expect(desired({ affinity }, { carbon }).spec.affinity?.nodeAffinity).toEqual({
      preferredDuringSchedulingIgnoredDuringExecution: [own, green],
    });
  });

  it('has its disks on claims, in the order that it boots from them', () => {
    const cd = { name: 'tools', size: '1Gi', storageClass: 'fast-ssd', type: 'cdrom', bootOrder: 1 } as const;
    const { spec } = desired({ disks: [DISK, cd] });
    expect(spec.domain.devices.disks).toEqual([
      { name: 'root', disk: { bus: 'virtio' } },
      { name: 'tools', bootOrder: 1, cdrom: { bus: 'sata', readonly: true } },
    ]);
    expect(spec.volumes).toEqual([
      { name: 'root', persistentVolumeClaim: { claimName: 'web-root' } },
      { name: 'tools', persistentVolumeClaim: { claimName: 'web-tools', readOnly: true } },
    ]);
    expect(desired({ image: { source: 'https://example.org/i.qcow2' } }).spec.volumes).toEqual(
      spec.volumes?.slice(0, 1),
    );
  });

  it.each<[string, Spec['cloudInit'], object]>([
    ['user data', { userData: 'x' }, { userData: 'x' }],
    ['network data alone', { networkData: 'n' }, { userData: '#cloud-config\n', networkData: 'n' }],
    ['a secret', { secretRef: { name: 's' } }, { secretRef: { name: 's' }, networkDataSecretRef: { name: 's' } }],
  ])('is configured by %s', (_what, cloudInit, expected) => {
    const { volumes, domain } = desired({ cloudInit: cloudInit as never }).spec;
    expect(volumes).toEqual([{ name: 'cloudinit', cloudInitNoCloud: expected }]);
    expect(domain.devices.disks).toEqual([{ name: 'cloudinit', disk: { bus: 'virtio' } }]);
  });

  it('keeps the name of a disk that is called as that for cloud-init', () => {
    const { volumes = [] } = desired({ cloudInit: { userData: 'x' }, disks: [{ ...DISK, name: 'cloudinit' }] }).spec;
    expect(volumes.map(({ name }) => name)).toEqual(['cloudinit', 'cloudinit-seed']);
  });

  it('is plugged into its networks', () => {
    const { domain, networks } = desired({
      networks: [
        { name: 'default', type: 'pod-network' },
        { name: 'lan', type: 'multus', multusNetworkName: 'net/lan', macAddress: '02:00:00:00:00:01' },
        { name: 'br0', type: 'bridge' },
      ],
    }).spec;
    expect(domain.devices.interfaces).toEqual([
      { name: 'default', masquerade: {} },
      { name: 'lan', bridge: {}, macAddress: '02:00:00:00:00:01' },
      { name: 'br0', bridge: {} },
    ]);
    expect(networks).toEqual([
      { name: 'default', pod: {} },
      { name: 'lan', multus: { networkName: 'net/lan' } },
      { name: 'br0', multus: { networkName: 'br0' } },
    ]);
  });

  it.each<[object, object]>([
    [{ bootloader: 'bios', secureBoot: false }, {}],
    [{ bootloader: 'uefi', secureBoot: false }, { firmware: { bootloader: { efi: { secureBoot: false } } } }],
    [
      { bootloader: 'uefi', secureBoot: true },
      { firmware: { bootloader: { efi: { secureBoot: true } } }, features: { smm: { enabled: true } } },
    ],
  ])('starts with firmware %j', (firmware, expected) => {
    const { firmware: made, features } = desired({ firmware }).spec.domain;
    expect({ ...(made && { firmware: made }), ...(features && { features }) }).toEqual(expected);
  });

  it('has no agent where it is to have none', () => {
    expect(desired({ guestAgent: { enabled: false } }).annotations).toEqual({ 'vimana.io/guest-agent': 'false' });
  });

  it('asks nodes for devices by the resources that stand for them', () => {
    const { gpus, ...others } = desired({
      gpus: [
        { name: 'g', resourceName: 'nvidia.com/A100', count: 2 },
        { vendor: 'AMD' },
        { vendor: 'nvidia', model: 'T4' },
      ],
      usbDevices: [{ name: 'key', resourceName: 'example.com/key' }],
    }).spec.domain.devices;
    expect(gpus).toEqual([
      { name: 'g', deviceName: 'nvidia.com/A100' },
      { name: 'g-2', deviceName: 'nvidia.com/A100' },
      { name: 'gpu2', deviceName: 'amd.com/gpu' },
      { name: 'gpu3', deviceName: 'nvidia.com/T4' },
    ]);
    expect(others).toEqual({ hostDevices: [{ name: 'key', deviceName: 'example.com/key' }] });
  });

  it.each<[NonNullable<Spec['highAvailability']>, string, boolean, object]>([
    [HA, 'LiveMigrate', false, { when: 'always', delayMs: 15_000, most: 5 }],
    [{ ...HA, evictionStrategy: 'Shutdown', restartPolicy: 'OnFailure' }, 'External', true, { when: 'onFailure' }],
    [{ ...HA, evictionStrategy: 'None', restartPolicy: 'Never' }, 'None', false, { when: 'never' }],
    [{ ...HA, enabled: false, evictionStrategy: 'Shutdown' }, 'None', false, { when: 'never', most: 0 }],
  ])('is kept up by %j', (highAvailability, eviction, leaves, restarts) => {
    const given = desired({ highAvailability });
    expect(given.spec.evictionStrategy).toBe(eviction);
    expect(given.leavesByRestart === true).toBe(leaves);
    expect(given.restarts).toMatchObject(restarts);
  });
});

describe('a machine of hypersdk.io is not started', () => {
  const disks = [DISK];
  it.each<[string, Partial<VirtualMachineInput['spec']>, Around, object | undefined]>([
    [
      'for a claim that another has',
      { disks },
      claims({ name: 'web-root', state: 'taken', message: 'no' }),
      { reason: 'ClaimTaken', message: 'no' },
    ],
    [
      'before a claim that it copies is there',
      { disks },
      claims({ name: 'web-root', state: 'missing', reason: 'NotFound', message: 'x' }),
      { reason: 'NotFound', message: 'x' },
    ],
    ['in the moment before its claim is there', { disks }, claims(), { reason: 'ClaimMissing', passing: true }],
    [
      'for a device that is named by ids',
      { usbDevices: [{ name: 'k', vendorId: '0529', productId: '0001' }] },
      {},
      { reason: 'DeviceNotSupported' },
    ],
    ['for a device that nobody could offer', { gpus: [{ name: 'g' }] }, {}, { reason: 'DeviceNotSupported' }],
    [
      'without its template',
      { image: { templateRef: { name: 't' } } },
      { template: 'missing' },
      { reason: 'NotFound' },
    ],
    [
      'but with its claim, bound or not',
      { disks },
      claims({ name: 'web-root', state: 'pending', waits: true }),
      undefined,
    ],
  ])('%s', (_what, spec, around, expected) => {
    const { blocked } = desired(spec, around);
    if (expected === undefined) expect(blocked).toBeUndefined();
    else expect(blocked).toMatchObject(expected);
  });

  it('before a claim is bound that is to be bound at once', () => {
    const pending = { name: 'web-root', state: 'pending', reason: 'ClaimPending', message: 'm' } as const;
    expect(desired({ disks }, claims(pending)).blocked).toEqual({
      reason: 'ClaimPending',
      message: 'm',
      passing: true,
    });
  });
});

describe('the phase', () => {
  const moving = (migrationState: object) => {
    const instance = instanceLike();
    return { instance: { ...instance, status: { ...instance.status, migrationState } } as ObservedMachine['instance'] };
  };
  const restarts = { total: 1, inRow: 1, lastInstance: 'i1', message: 'x' };
  const gaveUp = (why: 'NotRestarted' | 'RestartsExhausted', reason: 'Error' | 'GuestShutdown') => ({
    memory: memory({ restarts: { ...restarts, gaveUp: why }, lastShutdown: { reason, message: '', at: at(-5) } }),
  });
  const stuck = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] as const;
  it.each<[string, Looks | undefined, Partial<ObservedMachine>, boolean?]>([
    ['Pending', undefined, {}],
    ['Creating', { phase: 'Pending' }, {}],
    ['Creating', { phase: 'Scheduling' }, {}],
    ['Creating', { phase: 'Scheduled' }, {}],
    ['Pending', { phase: 'Scheduling', conditions: stuck }, {}],
    ['Running', {}, {}],
    ['Running', { going: true }, {}],
    ['Paused', { conditions: [{ type: 'Paused', status: 'True' }] }, {}],
    ['Migrating', undefined, moving({ startTimestamp: at(-1) })],
    ['Running', undefined, moving({ startTimestamp: at(-1), completed: true })],
    ['Running', undefined, moving({ startTimestamp: at(-1), failed: true })],
    ['Unknown', { phase: 'Unknown' }, {}],
    ['Stopped', undefined, {}, false],
    ['Running', {}, {}, false],
    ['Stopped', { phase: 'Failed' }, {}, false],
    ['Stopped', { phase: 'Succeeded' }, gaveUp('NotRestarted', 'GuestShutdown')],
    ['Failed', { phase: 'Failed' }, gaveUp('NotRestarted', 'Error')],
    ['Failed', undefined, gaveUp('RestartsExhausted', 'GuestShutdown')],
    ['Pending', undefined, { memory: memory({ restarts: { ...restarts, retryAfter: at(5) } }) }],
    ['Failed', undefined, { problem: { reason: 'FailedCreate', message: 'no' } }],
  ])('is %s for %j with %j', (expected, looks, more, running = true) => {
    const status = report(machine({ running }), looks, more);
    expect(status.phase).toBe(expected);
    expect(hypersdk.phase(machine({ running }, { status }))).toBe(expected);
  });

  it('is Pending while something is waited for', () => {
    const status = report(machine({ image: { templateRef: { name: 't' } } }), undefined, {}, { template: 'missing' });
    expect(status.phase).toBe('Pending');
    expect(hypersdk.phase(machine())).toBe('Pending');
  });
});

describe('the status', () => {
  it('tells all of a machine that runs', () => {
    const identity = { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' } };
    const status = report(machine(), {}, { memory: memory({ identity }) });
    expect(status).toMatchObject({
      observedGeneration: 3,
      phase: 'Running',
      creationTimestamp: at(-600),
      startTime: at(-45),
      restartCount: 0,
      guestAgent: { connected: false },
      resources: { cpu: { requests: 4 }, memory: { requests: '8Gi' } },
      interfaces: [{ name: 'default', mac: '02:00:00:00:00:01', ipAddress: '10.244.0.9' }],
    });
    expect(condition(status, 'Ready')).toMatchObject({ status: 'True' });
    expect(condition(status, 'DiskReady')).toMatchObject({ status: 'True', reason: 'NoDisks' });
  });

  it('gives back all that is remembered', () => {
    const remembered: MachineMemory = {
      requests: [
        { action: 'Stop', uid: 'i1' },
        { action: 'Start', data: { paused: 'true' } },
      ],
      generation: 3,
      startFailure: { consecutiveFailCount: 3, lastFailedVMIUID: 'i9', retryAfterTimestamp: at(50) },
      lastShutdown: { reason: 'NodeLost', message: 'gone', at: at(-70) },
      restarts: { total: 4, inRow: 2, lastInstance: 'i8', retryAfter: at(20), message: 'm' },
      identity: { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' }, b: { mac: '02:00:00:00:00:02' } },
    };
    const status = report(machine(), {}, { memory: remembered });
    expect(hypersdk.memory(machine({}, { status }))).toEqual(remembered);
    expect(status.restartCount).toBe(4);
    const none = report(machine({}, { status }), undefined);
    expect(hypersdk.memory(machine({}, { status: none }))).toEqual(memory({ generation: 3 }));
  });

  it('is the same when it is written again', () => {
    for (const looks of [undefined, { phase: 'Pending' }, {}, { going: true }, { phase: 'Failed' }] as const) {
      const more = { restartRequired: looks === undefined ? [] : ['hostname'] };
      const status = report(machine({ disks: [DISK] }), looks, more);
      expect(report(machine({ disks: [DISK] }, { status }), looks, { ...more, now: NOW + 9000 })).toEqual(status);
    }
  });

  it.each<[string, Around, Looks | undefined, object]>([
    ['bound', claims({ name: 'web-root', state: 'bound' }), undefined, { status: 'True', reason: 'DisksBound' }],
    ['missing', claims(), undefined, { status: 'False', reason: 'ClaimMissing' }],
    [
      'pending',
      claims({ name: 'web-root', state: 'pending', reason: 'ClaimPending', message: 'p' }),
      undefined,
      { status: 'False', reason: 'ClaimPending', message: 'p' },
    ],
    [
      'taken',
      claims({ name: 'web-root', state: 'taken', reason: 'ClaimTaken', message: 't' }),
      undefined,
      { status: 'False', reason: 'ClaimTaken' },
    ],
    ['as good as bound', claims({ name: 'web-root', state: 'pending' }), {}, { status: 'True' }],
  ])('tells of disks that are %s', (_what, around, looks, expected) => {
    expect(condition(report(machine({ disks: [DISK] }), looks, {}, around), 'DiskReady')).toMatchObject(expected);
  });

  it.each<[string, Partial<VirtualMachineInput['spec']>, Looks | undefined, string]>([
    ['answers', {}, { conditions: [{ type: 'AgentConnected', status: 'True' }] }, 'AgentConnected'],
    ['does not answer yet', {}, {}, 'WaitingForAgent'],
    ['does not run', {}, undefined, 'NotRunning'],
    ['is not there', { guestAgent: { enabled: false } }, {}, 'Disabled'],
  ])('tells of an agent that %s', (_what, spec, looks, reason) => {
    const status = report(machine(spec), looks);
    expect(condition(status, 'AgentConnected')).toMatchObject({ reason });
    expect(status.guestAgent?.connected ?? false).toBe(reason === 'AgentConnected');
  });

  it('says why a machine is not ready', () => {
    const problem = { reason: 'NotFound', message: 'VMTemplate default/t is not there' };
    expect(condition(report(machine(), undefined, { problem }), 'Ready')).toMatchObject({
      status: 'False',
      ...problem,
    });
    expect(condition(report(machine({ running: false })), 'Ready')).toMatchObject({ reason: 'Stopped' });
    const restarts = { total: 0, inRow: 3, lastInstance: 'i', gaveUp: 'RestartsExhausted', message: 'x' } as const;
    expect(condition(report(machine(), undefined, { memory: memory({ restarts }) }), 'Ready')).toMatchObject({
      reason: 'RestartsExhausted',
      message: 'x',
    });
  });

  it('names the fields that wait for the next start as users know them', () => {
    const lacking = report(
      machine({ image: { templateRef: { name: 't' } } }),
      {},
      { restartRequired: ['volumes'] },
      { template: 'missing' },
    );
    expect(condition(lacking, 'RestartRequired')?.message).toMatch(/; a start would wait: VMTemplate \S+ is not there/);
    const restartRequired = ['domain.cpu.sockets', 'domain.devices.disks', 'volumes', 'metadata.labels', 'hostname'];
    expect(condition(report(machine(), {}, { restartRequired }), 'RestartRequired')?.message).toBe(
      'changed, and not in effect before the next start: spec.cpus, spec.disks, spec.labels, spec.hostname',
    );
  });
});

describe('a request', () => {
  const STOP = { action: 'Stop', uid: 'i1' };
  const START = { action: 'Start' };
  const PAUSED = { action: 'Start', data: { paused: 'true' } };
  const restarts = { inRow: 1, lastInstance: 'i1', message: '', gaveUp: 'NotRestarted' } as const;
  const already = { conflict: 'VM is already running' };
  const off = { conflict: 'VM is not running' };
  const underway = { conflict: 'unable to complete request: stop/start already underway' };
  it.each<[PowerAction, boolean, Looks | undefined, PowerOptions, Status, object]>([
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
  ])('to %s where running is %s, of %j with %j and %j', (action, running, looks, options, status, expected) => {
    const vm = machine({ running }, { status });
    expect(hypersdk.power(vm, action, looks && instanceLike(looks), options)).toEqual(expected);
  });

  it('for another size is one for other fields', () => {
    expect(hypersdk.size?.(machine())).toEqual({ cpus: 4, memory: '8Gi' });
    expect(hypersdk.resize?.(machine(), { cpus: 6, memory: '12Gi' })).toEqual({ spec: { cpus: 6, memory: '12Gi' } });
  });
});
