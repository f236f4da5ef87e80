import { describe, expect, it } from 'vitest';
import type { Dialect, ObservedVm } from '#vm/engine/dialect';
import type { Observation } from '#vm/engine/observe';
import { VmEventRecorder } from '#vm/engine/vm-event-recorder';
import { hypersdk } from './hypersdk/dialect.ts';
import { kubevirt } from './kubevirt/dialect.ts';
import { novacron } from './novacron/dialect.ts';
import { simulation } from './simulation/dialect.ts';

const observed = (restartRequired: readonly string[]): ObservedVm => ({
  instance: { metadata: { name: 'web' }, spec: { domain: {} } } as unknown as NonNullable<ObservedVm['instance']>,
  recorded: { requests: [], identity: {} },
  restartRequired,
  now: 0,
});

describe('a change that waits for the next start', () => {
  it.each<[string, Dialect, object]>([
    ['kubevirt', kubevirt, { runStrategy: 'Always', template: { spec: { domain: { devices: {} } } } }],
    ['hypersdk', hypersdk, { running: true, cpus: 1, memory: '1Gi', machineType: 'q35' }],
    [
      'novacron',
      novacron,
      { running: true, migrationPolicy: {}, template: { spec: { resources: { cpu: 1, memory: '1Gi' } } } },
    ],
    ['simulation', simulation, { running: true, resources: { cpu: 0.1, memory: 0.1 } }],
  ])('is reported once, with the message of its condition (%s)', (_name, dialect, spec) => {
    const vm = { metadata: { name: 'web', namespace: 'shop', uid: 'u', generation: 2 }, spec } as never;
    const reported: string[] = [];
    const recorder = new VmEventRecorder();
    const tell = (fields: readonly string[]) => {
      const seen = observed(fields);
      const view = { observed: seen, before: seen.recorded, desired: {} } as Observation;
      const event = (_object: unknown, type: string, reason: string, message: string) =>
        void reported.push(`${type} ${reason} ${message}`);
      recorder.record(vm, view, { event }, () => dialect.report(vm, seen));
    };
    const fields = ['domain.cpu.sockets', 'metadata.labels'];
    const { conditions } = dialect.report(vm, observed(fields)) as {
      conditions: { type: string; message: string }[];
    };
    const words = conditions.find(({ type }) => type === 'RestartRequired')?.message;
    expect(words).toBeTruthy();
    tell(fields);
    tell(fields);
    expect(reported).toEqual([`Normal RestartRequired ${words}`]);
    tell([]);
    tell(fields);
    expect(reported).toHaveLength(2);
  });
});
