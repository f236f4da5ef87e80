import { describe, expect, it } from 'vitest';
import type { RecordedState } from '#vm/engine/dialect';
import { at, type InstanceTraits, NOW, recordedState } from '#vm/engine/instance.fixture';
import { hypersdk } from './dialect.ts';
import { claims, type Dependencies, DISK, report, type SpecInput, type Status, vmLike } from './vm.fixture.ts';

const condition = ({ conditions }: Status, type: string) => conditions?.find((each) => each.type === type);

describe('the status', () => {
  it('reports everything about a running VM', () => {
    const identity = { default: { mac: '02:00:00:00:00:01', ip: '10.244.0.9' } };
    const status = report(vmLike(), {}, { recorded: recordedState({ identity }) });
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

  it('returns all recorded state', () => {
    const remembered: RecordedState = {
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
    const status = report(vmLike(), {}, { recorded: remembered });
    expect(hypersdk.recordedState(vmLike({}, status))).toEqual(remembered);
    expect(status.restartCount).toBe(4);
    const none = report(vmLike({}, status), undefined);
    expect(hypersdk.recordedState(vmLike({}, none))).toEqual(recordedState({ generation: 3 }));
  });

  it('is the same when it is written again', () => {
    for (const looks of [undefined, { phase: 'Pending' }, {}, { terminating: true }, { phase: 'Failed' }] as const) {
      const more = { restartRequired: looks === undefined ? [] : ['hostname'] };
      const status = report(vmLike({ disks: [DISK] }), looks, more);
      expect(report(vmLike({ disks: [DISK] }, status), looks, { ...more, now: NOW + 9000 })).toEqual(status);
    }
  });

  describe('of usage', () => {
    const usage = { cpuCores: 1, memoryBytes: 2 * 1024 ** 3 };
    const measured = { cpu: { usage: '25%', requests: 4 }, memory: { usage: '2048Mi', requests: '8Gi' } };
    const unmeasured = { cpu: { requests: 4 }, memory: { requests: '8Gi' } };
    const paused: InstanceTraits = { conditions: [{ type: 'Paused', status: 'True' }] };

    it('is a percentage of the CPUs, and mebibytes of memory', () => {
      expect(report(vmLike(), {}, {}, { usage }).resources).toEqual(measured);
    });

    it.each<[string, InstanceTraits | undefined, object]>([
      ['Running', {}, measured],
      ['Paused', paused, measured],
      ['Stopped', undefined, unmeasured],
    ])('stays until the next measurement while the VM has a guest: %s', (phase, looks, resources) => {
      const status = report(vmLike({ running: phase !== 'Stopped' }, { resources: measured }), looks);
      expect([status.phase, status.resources]).toEqual([phase, resources]);
    });
  });

  it.each<[string, Dependencies, InstanceTraits | undefined, object]>([
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
    ['about to be bound', claims({ name: 'web-root', state: 'pending' }), {}, { status: 'True' }],
  ])('reports disks that are %s', (_what, dependencies, looks, expected) => {
    expect(condition(report(vmLike({ disks: [DISK] }), looks, {}, dependencies), 'DiskReady')).toMatchObject(expected);
  });

  describe('of an image that is verified', () => {
    const image = {
      source: 'https://images.example.org/a.qcow2',
      checksum: { type: 'md5' as const, value: 'ab'.repeat(16) },
    };
    const vm = (status?: Status) => vmLike({ disks: [DISK], image }, status);
    const bound = claims({ name: 'web-root', state: 'bound' });
    const blocker = { reason: 'VerifyingImage', message: 'it is fetched' };
    const waits: Dependencies = { image: { state: 'waits', blocker } };

    it.each([
      ['bound', bound],
      ['waiting for a pod', claims({ name: 'web-root', state: 'pending', waits: true })],
    ])('reports that the VM waits, with its claim %s', (_what, dependencies) => {
      const status = report(vm(), undefined, { problem: blocker }, { ...dependencies, ...waits });
      expect(status.phase).toBe('Pending');
      expect(condition(status, 'DiskReady')).toMatchObject({ status: 'False', ...blocker });
      expect(condition(status, 'Ready')).toMatchObject({ status: 'False', ...blocker });
    });

    it('reports a claim of another owner first', () => {
      const taken = claims({ name: 'web-root', state: 'taken', reason: 'ClaimTaken', message: 't' });
      expect(condition(report(vm(), undefined, {}, { ...taken, ...waits }), 'DiskReady')).toMatchObject({
        reason: 'ClaimTaken',
      });
    });

    it('records the verified digest, and reports it as long as it is the desired one', () => {
      const found = report(vm(), {}, {}, { ...bound, image: { state: 'verified' } });
      expect(found.verifiedImage).toBe(`md5:${'ab'.repeat(16)}`);
      const left: Dependencies = {
        ...bound,
        image: { state: 'left', why: 'the disk was created without verification' },
      };
      const ran = { ...found, startTime: '2030-01-01T00:00:00Z' };
      const later = report(vm(ran), {}, {}, left);
      expect(later.verifiedImage).toBe(found.verifiedImage);
      expect(condition(later, 'DiskReady')?.message).toBe('bound: web-root (the md5 of its image is verified)');
      const other = report(vm({ ...ran, verifiedImage: 'md5:00' }), {}, {}, left);
      expect(condition(other, 'DiskReady')?.message).toBe(
        'bound: web-root (the md5 of its image is not verified: the disk was created without verification)',
      );
    });
  });

  it('reports a digest that is not verified, because no image is downloaded', () => {
    const image = {
      source: 'https://images.example.org/a.qcow2',
      checksum: { type: 'sha512', value: 'ab'.repeat(64) },
    };
    const bound = claims({ name: 'web-root', state: 'bound', message: '30Gi instead of 20Gi' });
    const said = (spec: SpecInput) => condition(report(vmLike({ disks: [DISK], ...spec }), {}, {}, bound), 'DiskReady');
    expect(said({ image: image as SpecInput['image'] & object })).toMatchObject({
      status: 'True',
      reason: 'DisksBound',
      message:
        'bound: web-root (30Gi instead of 20Gi; the sha512 of its image is not verified, because images are not downloaded here)',
    });
    expect(said({ image: { source: image.source } })?.message).toBe('bound: web-root (30Gi instead of 20Gi)');
  });

  it.each<[string, SpecInput, InstanceTraits | undefined, string]>([
    ['answers', {}, { conditions: [{ type: 'AgentConnected', status: 'True' }] }, 'AgentConnected'],
    ['does not respond yet', {}, {}, 'WaitingForAgent'],
    ['does not run', {}, undefined, 'NotRunning'],
    ['does not exist', { guestAgent: { enabled: false } }, {}, 'Disabled'],
  ])('reports a guest agent that %s', (_what, spec, looks, reason) => {
    const status = report(vmLike(spec), looks);
    expect(condition(status, 'AgentConnected')).toMatchObject({ reason });
    expect(status.guestAgent?.connected ?? false).toBe(reason === 'AgentConnected');
  });

  it('reports why a VM is not ready', () => {
    const problem = { reason: 'NotFound', message: 'VMTemplate default/t is not there' };
    expect(condition(report(vmLike(), undefined, { problem }), 'Ready')).toMatchObject({
      status: 'False',
      ...problem,
    });
    expect(condition(report(vmLike({ running: false })), 'Ready')).toMatchObject({ reason: 'Stopped' });
    const restarts = { total: 0, inRow: 3, lastInstance: 'i', gaveUp: 'RestartsExhausted', message: 'x' } as const;
    expect(condition(report(vmLike(), undefined, { recorded: recordedState({ restarts }) }), 'Ready')).toMatchObject({
      reason: 'RestartsExhausted',
      message: 'x',
    });
  });

  it('names the fields that wait for a restart by their paths', () => {
    const lacking = report(
      vmLike({ image: { templateRef: { name: 't' } } }),
      {},
      { restartRequired: ['volumes'] },
      { template: 'missing' },
    );
    expect(condition(lacking, 'RestartRequired')?.message).toMatch(
      /; the next start would wait: VMTemplate \S+ not found/,
    );
    const restartRequired = ['domain.cpu.sockets', 'domain.devices.disks', 'volumes', 'metadata.labels', 'hostname'];
    expect(condition(report(vmLike(), {}, { restartRequired }), 'RestartRequired')?.message).toBe(
      'spec changes require a restart: spec.cpus, spec.disks, spec.labels, spec.hostname',
    );
  });
});
