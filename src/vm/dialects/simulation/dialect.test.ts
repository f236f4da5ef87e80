import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VirtualMachine } from '#api/simulation/virtual-machine';
import type { ObservedVm, PowerAction, RecordedState } from '#vm/engine/dialect';
import { at, type InstanceTraits, instanceLike, NOW, recordedState, vmMetadata } from '#vm/engine/instance.fixture';
import { launcherName } from '#vm/engine/launcher/launcher-pod';
import { simulation } from './dialect.ts';

type Status = NonNullable<VirtualMachine['status']>;

const NODE = { referenceNode: { cpu: '32', memory: '128Gi' } };
const machine = (
  spec: Partial<VirtualMachine['spec']> = {},
  more: { status?: Status; annotations?: Record<string, string> } = {},
): VirtualMachine => ({
  apiVersion: 'simulation.node-classifier.io/v1alpha1',
  kind: 'VirtualMachine',
  metadata: vmMetadata(more.annotations),
  spec: { resources: { cpu: '0.05', memory: '0.08' }, running: true, ...spec },
  ...(more.status === undefined ? {} : { status: more.status }),
});
const report = (vm: VirtualMachine, looks?: InstanceTraits, more: Partial<ObservedVm> = {}) =>
  simulation.report(
    vm,
    { instance: looks && instanceLike(looks), recorded: recordedState(), restartRequired: [], now: NOW, ...more },
    NODE,
  ) as Status;
const CPU = 'kubevirt.io/vm-cpu-consumption';
const MEMORY = 'kubevirt.io/vm-memory-consumption';

describe('the size of a simulated VM', () => {
  const requests = (spec: Partial<VirtualMachine['spec']>, dependencies = NODE) => {
    const { spec: made, annotations } = simulation.desiredVm(machine(spec), dependencies);
    const { cpu, memory: bytes } = made.domain.resources?.requests ?? {};
    return [cpu, bytes, made.domain.cpu?.cores, annotations[CPU], annotations[MEMORY]];
  };
  it.each<[string, Partial<VirtualMachine['spec']>, unknown[]]>([
    // 0.05 x 32 = 1.6 CPUs; 0.08 x 137438953472 = 10995116277.76 bytes
    ['a ratio of a node', {}, ['1600m', '10995116278', 2, '0.05', '0.08']],
    [
      'a ratio in its original notation',
      { resources: { cpu: '0.30', memory: '0.50' } },
      ['9600m', '64Gi', 10, '0.30', '0.50'],
    ],
    ['more CPU than a node has', { resources: { cpu: 1.5, memory: 1 } }, ['48', '128Gi', 48, '1.5', '1']],
    ['zero', { resources: { cpu: '0', memory: '0' } }, ['0', '0', 1, '0', '0']],
    ['the minimum for tiny ratios', { resources: { cpu: '1e-7', memory: '1e-7' } }, ['1m', '1Mi', 1, '1e-7', '1e-7']],
    ['CPUs and bytes', { resources: { cpu: '4', memory: '8Gi' } }, ['4', '8Gi', 4, '0.125', '0.0625']],
    [
      'CPUs and bytes with utilization',
      { resources: { cpu: '8', memory: '24Gi' }, utilization: { cpu: '0.35', memory: '0.8' } },
      ['8', '24Gi', 8, '0.0875', '0.15'],
    ],
    [
      'CPUs and bytes with a utilization of 0',
      { resources: { cpu: '2500m', memory: '1G' }, utilization: { cpu: '0', memory: '0' } },
      ['2500m', '1000000000', 3, '0', '0'],
    ],
  ])('is %s', (_what, spec, expected) => {
    expect(requests(spec)).toEqual(expected);
  });

  it('follows the size of the existing nodes', () => {
    const small = { referenceNode: { cpu: '8', memory: '16Gi' } };
    expect(requests({ resources: { cpu: '0.5', memory: '0.25' } }, small)).toEqual(['4', '4Gi', 4, '0.5', '0.25']);
    expect(requests({ resources: { cpu: '2', memory: '8Gi' } }, small)).toEqual(['2', '8Gi', 2, '0.25', '0.5']);
  });

  it('is never less than requested, and differs by less than a thousandth of a CPU', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000 }), (millionths) => {
        const share = millionths / 1e6;
        const { spec } = simulation.desiredVm(machine({ resources: { cpu: String(share), memory: '0.1' } }), NODE);
        const text = `${spec.domain.resources?.requests?.['cpu']}`;
        const cpus = text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text);
        expect(cpus).toBeGreaterThanOrEqual(share * 32 - 1e-9);
        expect(cpus).toBeLessThan(share * 32 + 0.001 + 1e-9);
      }),
    );
  });
});

describe('the desired VM of a simulated VM', () => {
  it('runs by default, and has a node only if one is named', () => {
    expect(simulation.desiredVm(machine(), NODE)).toMatchObject({ runStrategy: 'Always', evacuatesByRestart: true });
    expect(simulation.desiredVm(machine(), NODE).forcedNode).toBeUndefined();
    expect(simulation.desiredVm(machine({ running: false }), NODE).runStrategy).toBe('Halted');
    const forced = { annotations: { 'simulation.node-classifier.io/node': 'kwok-node-2' } };
    expect(simulation.desiredVm(machine({}, forced), NODE).forcedNode).toBe('kwok-node-2');
  });

  it('has the dirty rate of its spec, in bytes per second', () => {
    const { annotations } = simulation.desiredVm(machine({ migration: { dirtyRateMbps: 400 } }), NODE);
    expect(annotations['vimana.io/dirty-rate']).toBe('50000000');
  });
});

describe('the phase of a simulated VM', () => {
  const startFailure = { consecutiveFailCount: 1, lastFailedVMIUID: 'i0', retryAfterTimestamp: at(9) };
  it.each<[string, Partial<VirtualMachine['spec']>, InstanceTraits | undefined, Partial<ObservedVm>]>([
    ['Pending', {}, undefined, {}],
    ['Pending', {}, { phase: 'Pending' }, {}],
    ['Scheduling', {}, { phase: 'Scheduling' }, {}],
    ['Scheduled', {}, { phase: 'Scheduled' }, {}],
    ['Running', {}, { phase: 'Running' }, {}],
    ['Failed', {}, { phase: 'Unknown' }, {}],
    ['Failed', {}, { phase: 'Failed' }, {}],
    ['Failed', {}, { phase: 'Succeeded', reason: 'GuestShutdown' }, {}],
    ['Pending', {}, { phase: 'Succeeded', reason: 'Stopped', terminating: true }, {}],
    ['Failed', {}, undefined, { recorded: recordedState({ startFailure }) }],
    ['Failed', {}, undefined, { problem: { reason: 'FailedCreate', message: 'no' } }],
    ['Stopped', { running: false }, undefined, {}],
    ['Stopped', { running: false }, { phase: 'Succeeded' }, {}],
    ['Running', { running: false }, { phase: 'Running', terminating: true }, {}],
  ])('is %s for %j, %j', (phase, spec, looks, more) => {
    expect(report(machine(spec), looks, more).phase).toBe(phase);
  });
});

describe('the status of a simulated VM', () => {
  const running = () => {
    const instance = instanceLike({ spec: simulation.desiredVm(machine(), NODE).spec });
    const status = { ...instance.status, nodeName: 'kwok-node-2', activePods: { p: 'kwok-node-2' } };
    return { ...instance, status } as NonNullable<ObservedVm['instance']>;
  };

  it('reports everything about a running VM', () => {
    const instance = running();
    const { conditions, ...status } = report(machine(), undefined, { instance });
    expect(status).toEqual({
      observedGeneration: 3,
      phase: 'Running',
      nodeName: 'kwok-node-2',
      podName: launcherName(instance as Parameters<typeof launcherName>[0], 'i1'),
      cpuConsumption: '0.05',
      memoryConsumption: '0.08',
      allocatedCpu: '1600m',
      allocatedMemory: '10995116278',
      cpuUtilization: '1',
      memoryUtilization: '1',
      createdAt: at(-600),
    });
    expect(conditions?.map(({ type, status: holds }) => `${type} ${holds}`)).toEqual(['Ready True', 'Running True']);
  });

  it('names the pod that it migrated to, and the node that it has to leave', () => {
    const { status, ...instance } = running();
    const moved = { ...status, migrationState: { targetPod: 'there', completed: true }, evacuationNodeName: 'n' };
    expect(report(machine(), undefined, { instance: { ...instance, status: moved } })).toMatchObject({
      podName: 'there',
      evacuationNodeName: 'n',
    });
  });

  it('keeps the recorded state of the engine', () => {
    const remembered: RecordedState = {
      requests: [{ action: 'Stop', uid: 'i1' }],
      generation: 3,
      startFailure: { consecutiveFailCount: 3, lastFailedVMIUID: 'i9', retryAfterTimestamp: at(50) },
      lastShutdown: { reason: 'NodeLost', message: 'gone', at: at(-70) },
      identity: {},
    };
    const status = report(machine(), {}, { recorded: remembered });
    expect(simulation.recordedState(machine({}, { status }))).toEqual(remembered);
    expect(simulation.recordedState(machine())).toEqual({ requests: [], identity: {} });
  });

  it('has one condition for each phase, however often the VM repeats them, and is stable', () => {
    const phases: InstanceTraits[] = [
      { phase: 'Pending' },
      { phase: 'Scheduling' },
      { phase: 'Scheduled' },
      {},
      { phase: 'Failed' },
    ];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: phases.length }), { maxLength: 40 }), (steps) => {
        let status: Status | undefined;
        for (const [i, step] of steps.entries()) {
          const vm = () => machine({}, status === undefined ? {} : { status });
          const next = report(vm(), phases[step], { now: NOW + i * 1000 });
          status = next;
          expect(report(vm(), phases[step], { now: NOW + i * 1000 + 500 })).toEqual(next);
          const types = next.conditions?.map(({ type }) => type) ?? [];
          expect(new Set(types).size).toBe(types.length);
          const current = next.conditions?.filter((each) => each.type !== 'Ready' && each.status === 'True');
          expect(current?.map(({ type }) => type)).toEqual([next.phase]);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('the power of a simulated VM', () => {
  const waiting = { stateChangeRequests: [{ action: 'Stop' as const, uid: 'i1' }] };
  it.each<[PowerAction, VirtualMachine, InstanceTraits | undefined, object]>([
    ['start', machine({ running: false }), undefined, { spec: { running: true } }],
    ['start', machine(), {}, { conflict: 'VM is already running' }],
    ['stop', machine(), {}, { spec: { running: false } }],
    ['stop', machine({ running: false }), undefined, { conflict: 'VM is not running' }],
    ['restart', machine(), {}, { requests: [{ action: 'Stop', uid: 'i1' }] }],
    ['restart', machine(), undefined, { conflict: 'VM is not running' }],
    [
      'restart',
      machine({}, { status: waiting }),
      {},
      { conflict: 'unable to complete request: stop/start already underway' },
    ],
  ])('%s', (action, vm, looks, expected) => {
    expect(simulation.power(vm, action, looks && instanceLike(looks))).toEqual(expected);
  });
});
