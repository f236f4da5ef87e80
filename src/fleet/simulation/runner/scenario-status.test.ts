import { describe, expect, it } from 'vitest';
import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import { abandonedStatus, failedStatus, type ScenarioProgress, scenarioStatus, startOf } from './scenario-status.ts';

const NOW = Date.parse('2030-01-02T10:00:00Z');

const scenario = (spec: object = {}, status?: object, metadata: object = {}): SimulationScenario =>
  ({
    apiVersion: 'simulation.vimana.io/v1alpha1',
    kind: 'SimulationScenario',
    metadata: { name: 's', namespace: 'default', ...metadata },
    spec: { duration: '2h', ...spec },
    ...(status === undefined ? {} : { status }),
  }) as unknown as SimulationScenario;

const progress = (more: Partial<ScenarioProgress> = {}): ScenarioProgress => ({
  now: NOW,
  phase: 'Running',
  simulated: 90_999,
  real: 1_999,
  counts: { nodes: 4, running: 5, pending: 6 },
  migrations: 7,
  counters: {
    vms: 11,
    appliedEvents: 12,
    totalTasksGenerated: 13,
    droppedTasks: 14,
    activeTasks: 15,
    conditionalEvents: [
      { name: 'never', times: 0, last: undefined },
      { name: 'twice', times: 2, last: 60_000 },
    ],
  } as ScenarioProgress['counters'],
  message: '',
  ...more,
});

describe('the simulated time at which a scenario starts', () => {
  it.each<[string, SimulationScenario, string]>([
    ['is that of its spec', scenario({ startTime: '2030-06-01T07:30:00Z' }), '2030-06-01T07:30:00.000Z'],
    ['is otherwise the beginning of the current day', scenario(), '2030-01-02T00:00:00.000Z'],
    [
      'or of the day on which it was started',
      scenario({}, { startTime: '2030-01-01T23:59:59Z' }),
      '2030-01-01T00:00:00.000Z',
    ],
  ])('%s', (_what, given, start) => {
    expect(new Date(startOf(given, NOW)).toISOString()).toBe(start);
  });
});

describe('the status of a scenario', () => {
  it('reports its progress in whole seconds, and every count', () => {
    expect(scenarioStatus(scenario({}, undefined, { generation: 3 }), progress())).toEqual({
      observedGeneration: 3,
      phase: 'Running',
      startTime: '2030-01-02T10:00:00Z',
      currentSimulatedTime: '2030-01-02T00:01:30Z',
      elapsedRealTime: '1s',
      elapsedSimulatedTime: '1m30s',
      nodes: 4,
      vms: 11,
      runningVMs: 5,
      pendingVMs: 6,
      migrations: 7,
      appliedEvents: 12,
      totalTasksGenerated: 13,
      droppedTasks: 14,
      activeTasks: 15,
      conditionalEvents: [
        { name: 'never', times: 0 },
        { name: 'twice', times: 2, lastTime: '2030-01-02T00:01:00Z' },
      ],
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Running', lastTransitionTime: '2030-01-02T10:00:00Z' },
        { type: 'Completed', status: 'False', reason: 'Running', lastTransitionTime: '2030-01-02T10:00:00Z' },
        { type: 'Failed', status: 'False', reason: 'Running', lastTransitionTime: '2030-01-02T10:00:00Z' },
      ],
    });
  });

  it.each([
    ['Running', undefined],
    ['Paused', undefined],
    ['Completed', '2030-01-02T10:00:00Z'],
    ['Failed', '2030-01-02T10:00:00Z'],
  ] as const)('has a completion time only after its end: %s', (phase, completionTime) => {
    expect(scenarioStatus(scenario(), progress({ phase })).completionTime).toBe(completionTime);
  });

  it('keeps the times at which it started, ended and last changed a condition', () => {
    const first = scenarioStatus(scenario(), progress({ phase: 'Completed' }));
    const later = scenarioStatus(scenario({}, first), progress({ phase: 'Completed', now: NOW + 60_000 }));
    expect(later).toEqual(first);
    const failed = scenarioStatus(scenario({}, first), progress({ phase: 'Failed', now: NOW + 60_000, message: 'm' }));
    expect(failed.message).toBe('m');
    expect(failed.conditions).toEqual([
      { type: 'Ready', status: 'False', reason: 'Failed', lastTransitionTime: '2030-01-02T10:00:00Z' },
      { type: 'Completed', status: 'False', reason: 'Failed', lastTransitionTime: '2030-01-02T10:01:00Z' },
      { type: 'Failed', status: 'True', reason: 'Failed', message: 'm', lastTransitionTime: '2030-01-02T10:01:00Z' },
    ]);
  });

  it('that failed keeps the last progress, and reports why', () => {
    const before = scenarioStatus(scenario(), progress());
    const failed = failedStatus(scenario({}, before, { generation: 4 }), NOW + 60_000, 'no such profile');
    expect(failed).toMatchObject({
      observedGeneration: 4,
      phase: 'Failed',
      startTime: '2030-01-02T10:00:00Z',
      completionTime: '2030-01-02T10:01:00Z',
      nodes: 4,
      message: 'no such profile',
    });
    expect(failed.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      status: 'True',
      message: 'no such profile',
    });
    expect(failedStatus(scenario(), NOW, 'm')).not.toHaveProperty('observedGeneration');
  });

  it.each([
    [{ elapsedSimulatedTime: '1m30s' }, '1m30s'],
    [undefined, '0s'],
  ])('that is no longer run reports how far it came: %j', (status, elapsed) => {
    expect(abandonedStatus(scenario({}, status), NOW).message).toBe(
      `the process that ran it stopped after ${elapsed} of 2h0m0s: delete it and create it again`,
    );
  });
});
