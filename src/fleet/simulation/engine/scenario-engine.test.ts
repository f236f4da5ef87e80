import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import { admittedScenario } from '#testing/admitted-scenario';
import type { Command } from './command.ts';
import { ScenarioEngine } from './scenario-engine.ts';
import type { ScenarioView, ViewedNode } from './scenario-view.ts';

const MINUTE = 60_000;
const node = (name: string, measures: Partial<ViewedNode> = {}): ViewedNode => ({
  name,
  up: true,
  cpuUsage: 0.5,
  cpuPressure: 0,
  memoryUsage: 0.5,
  memoryPressure: 0,
  vmCount: 2,
  ...measures,
});

interface ViewOverrides {
  readonly nodes?: readonly ViewedNode[];
  readonly places?: Readonly<Record<string, string>>;
  readonly pending?: number;
}

const seen = ({ nodes = [node('n-1'), node('n-2')], places = {}, pending = 0 }: ViewOverrides = {}): ScenarioView => ({
  nodes: () => nodes,
  nodeOf: (vm) => places[vm],
  vmsOn: (name) => Object.keys(places).filter((vm) => places[vm] === name),
  pending: () => pending,
});

const start = (spec: object, seed = '1') =>
  new ScenarioEngine(admittedScenario({ duration: '1h', ...spec }).spec, {
    random: seededRandom(seed),
    reference: { cores: 32, bytes: 128 * 2 ** 30 },
    tickMs: MINUTE,
    resolution: 0.1,
  });

/** Runs an engine to the end with a constant view, or one that is a function of time. */
function played(
  course: ScenarioEngine,
  look: ScenarioView | ((time: number) => ScenarioView) = seen(),
): { at: number; command: Command }[] {
  const done: { at: number; command: Command }[] = [];
  for (let at = course.nextAt; at !== undefined; at = course.nextAt) {
    for (const command of course.step(at, typeof look === 'function' ? look(at) : look).commands)
      done.push({ at, command });
  }
  return done;
}

const words = (commands: readonly { at: number; command: Command }[]) =>
  commands.map(({ at, command }) => {
    const about =
      command.do === 'create'
        ? command.newVm.name
        : 'vm' in command
          ? command.vm
          : 'nodes' in command
            ? command.nodes.join(' ')
            : 'group' in command
              ? `${command.group} ${command.total}`
              : '';
    return `${at / MINUTE} ${command.do} ${about}`.trim();
  });

const pool = (name: string, count: number, more: object = {}) => ({
  name,
  count,
  resources: { cpu: '2', memory: '4Gi' },
  ...more,
});

describe('the timeline', () => {
  it('is executed in order, at its times, and numbers are never reused', () => {
    const course = start({
      vmPools: [pool('web', 2)],
      nodes: [{ name: 'n', count: 2 }],
      timeline: [
        { at: '30m', action: 'scale', pool: 'web', count: 1 },
        { at: '10m30s', action: 'create', pool: 'web', count: 2 },
        { at: '30m', action: 'scale', pool: 'web', count: 2 },
        { at: '40m', action: 'delete', pool: 'web' },
        { at: '50m', action: 'addNodes', nodeGroup: 'n', count: 3 },
        { at: '55m', action: 'pause' },
      ],
    });
    expect(words(played(course))).toEqual([
      '0 create web-1',
      '0 create web-2',
      '10.5 create web-3',
      '10.5 create web-4',
      '30 delete web-4',
      '30 delete web-3',
      '30 delete web-2',
      '30 create web-5',
      '40 delete web-5',
      '40 delete web-1',
      '50 addNodes n 5',
      '55 pause',
    ]);
    expect(course.counters).toMatchObject({ vms: 0, appliedEvents: 6 });
  });

  it('names nodes one by one, by group, or as a hot spot', () => {
    const course = start({
      nodes: [{ name: 'n', count: 2 }, { name: 'm' }],
      hotSpots: [{ name: 'hot', pick: { metric: 'cpuUsage' } }],
      timeline: [
        { at: '1m', action: 'failNodes', nodes: ['n'] },
        { at: '2m', action: 'recoverNodes', nodes: ['n-2'] },
        { at: '3m', action: 'removeNodes', hotSpot: 'hot' },
      ],
    });
    const nodes = [node('n-1'), node('n-2', { cpuUsage: 0.6 }), node('m-1', { cpuUsage: 0.9 })];
    expect(words(played(course, seen({ nodes })))).toEqual([
      '1 failNodes n-1 n-2',
      '2 recoverNodes n-2',
      '3 removeNodes m-1',
    ]);
  });

  it('migrates only scheduled VMs', () => {
    const course = start({
      vmPools: [pool('web', 3)],
      nodes: [{ name: 'n', count: 2 }],
      timeline: [
        { at: '1m', action: 'migrate', pool: 'web', targetNode: 'n-2' },
        { at: '2m', action: 'migrate', vm: 'web-2' },
      ],
    });
    const places = { 'web-1': 'n-1', 'web-2': 'n-2' };
    const moves = played(course, seen({ places })).filter(({ command }) => command.do === 'migrate');
    expect(moves.map(({ command }) => command)).toEqual([
      { do: 'migrate', vm: 'web-1', target: 'n-2' },
      { do: 'migrate', vm: 'web-2' },
    ]);
  });
});

describe('the load of VMs', () => {
  const loads = (commands: readonly { at: number; command: Command }[]) =>
    commands.flatMap(({ at, command }) => (command.do === 'load' ? [[at / MINUTE, command.vm, command.use]] : []));

  it('is reported in steps while it drifts, within one step, and exactly when it jumps', () => {
    const trace = {
      points: [
        { at: '0s', value: 0 },
        { at: '30m', value: 0.6 },
        { at: '31m', value: 1.37 },
      ],
    };
    const course = start({
      vmPools: [pool('web', 1, { profile: 'p' })],
      profiles: [{ name: 'p', cpu: { type: 'trace', trace } }],
    });
    const reported = loads(played(course)).map(([at, , use]) => [at, (use as { cpu: number }).cpu]);
    expect(reported).toEqual([
      [3, 0.1],
      [8, 0.2],
      [13, 0.3],
      [18, 0.4],
      [23, 0.5],
      [28, 0.6],
      [31, 1.37],
    ]);
  });

  it('is set at once, also for later VMs, until a profile is set', () => {
    const course = start({
      vmPools: [pool('web', 1)],
      profiles: [{ name: 'p', cpu: { type: 'constant', constant: { value: 0.3 } } }],
      timeline: [
        { at: '1m', action: 'setUtilization', pool: 'web', cpu: 0.25, memory: 0.5 },
        { at: '2m', action: 'create', pool: 'web', count: 1 },
        { at: '3m', action: 'setUtilization', vm: 'web-2', profile: 'p' },
      ],
    });
    const done = played(course);
    expect(loads(done)).toEqual([
      [1, 'web-1', { cpu: 0.25, memory: 0.5 }],
      [3, 'web-2', { cpu: 0.3, memory: 1 }],
    ]);
    expect(done.flatMap(({ command }) => (command.do === 'create' ? [command.newVm.use] : []))).toEqual([
      { cpu: 1, memory: 1 },
      { cpu: 0.25, memory: 0.5 },
    ]);
  });

  it('keeps ratios of a node as written, unless the load can change', () => {
    const resources = { cpu: '0.125', memory: '0.25' };
    const made = (spec: object) =>
      played(start(spec)).flatMap(({ command }) => (command.do === 'create' ? [command.newVm] : []))[0];
    expect(made({ vmPools: [pool('a', 1, { resources })] })).toEqual({ name: 'a-1', labels: {}, resources });
    const profiles = [{ name: 'p', cpu: { type: 'constant', constant: { value: 0.5 } } }];
    expect(made({ vmPools: [pool('a', 1, { resources, profile: 'p' })], profiles })).toEqual({
      name: 'a-1',
      labels: {},
      resources: { cpu: '4000m', memory: '33554432Ki' },
      use: { cpu: 0.5, memory: 1 },
    });
  });
});

const tasks = (more: object) => ({
  name: 'jobs',
  arrivals: { type: 'constant', value: 150 },
  cpu: { value: 1 },
  memoryGi: { value: 1 },
  lifetimeSeconds: { value: 600 },
  ...more,
});
const idle = {
  profiles: [
    {
      name: 'idle',
      cpu: { type: 'constant', constant: { value: 0 } },
      memory: { type: 'constant', constant: { value: 0 } },
    },
  ],
};

describe('tasks', () => {
  it('load VMs of their pool while they run', () => {
    const course = start({
      duration: '20m',
      ...idle,
      vmPools: [pool('web', 1, { profile: 'idle' })],
      taskGenerators: [tasks({ pool: 'web', until: '3m' })],
    });
    const loads = played(course).flatMap(({ at, command }) =>
      command.do === 'load' ? [[at / MINUTE, command.use]] : [],
    );
    expect(loads).toEqual([
      [3, { cpu: 0.5, memory: 0.25 }],
      [13, { cpu: 0, memory: 0 }],
    ]);
    expect(course.counters).toMatchObject({ totalTasksGenerated: 1, droppedTasks: 0, activeTasks: 0 });
  });

  it('may be VMs that are deleted when they finish, and are dropped if there are too many', () => {
    const course = start({
      duration: '20m',
      taskGenerators: [tasks({ creates: 'vm', until: '8m', maxConcurrent: 2 })],
    });
    expect(words(played(course))).toEqual([
      '3 create jobs-1',
      '5 create jobs-2',
      '13 delete jobs-1',
      '15 delete jobs-2',
    ]);
    expect(course.counters).toMatchObject({ totalTasksGenerated: 3, droppedTasks: 1, activeTasks: 0 });
  });

  it('concentrate on the nodes of a hot spot', () => {
    const course = start({
      duration: '20m',
      ...idle,
      vmPools: [pool('web', 2, { profile: 'idle' })],
      hotSpots: [{ name: 'hot', pick: { metric: 'cpuUsage' } }],
      taskGenerators: [tasks({ hotSpot: 'hot' })],
    });
    const nodes = [node('n-1', { cpuUsage: 0.2 }), node('n-2', { cpuUsage: 0.8 })];
    const places = { 'web-1': 'n-1', 'web-2': 'n-2' };
    const burdened = played(course, seen({ nodes, places })).flatMap(({ command }) =>
      command.do === 'load' ? [command.vm] : [],
    );
    expect(new Set(burdened)).toEqual(new Set(['web-2']));
  });

  it('are dropped if no VM can run them', () => {
    const course = start({
      duration: '10m',
      hotSpots: [{ name: 'hot', nodes: ['n-1'] }],
      taskGenerators: [tasks({ hotSpot: 'hot' })],
    });
    played(course);
    expect(course.counters).toMatchObject({ totalTasksGenerated: 3, droppedTasks: 3 });
  });
});

describe('a conditional event', () => {
  const event = (when: object, more: object = {}) => ({
    name: 'e',
    when,
    actions: [{ action: 'migrate', pool: 'web', count: 1 }],
    ...more,
  });
  const places = { 'web-1': 'n-1', 'web-2': 'n-2', 'web-3': 'n-2' };
  const hot = (from: number, to: number) => (time: number) =>
    seen({ nodes: [node('n-1'), node('n-2', { cpuUsage: time >= from && time < to ? 0.95 : 0.3 })], places });
  const moves = (commands: readonly { at: number; command: Command }[]) =>
    words(commands.filter(({ command }) => command.do === 'migrate'));

  it('waits until the metric has been beyond the threshold long enough, and acts on that node', () => {
    const course = start({
      vmPools: [pool('web', 3)],
      conditionalEvents: [event({ scope: 'node', metric: 'cpuUsage', threshold: 0.9, for: '5m' }, { maxTimes: 1 })],
    });
    const [move, ...others] = moves(played(course, hot(10 * MINUTE, 40 * MINUTE)));
    expect(move).toMatch(/^15 migrate web-[23]$/);
    expect(others).toEqual([]);
  });

  it('starts to wait again when it no longer holds', () => {
    const course = start({
      vmPools: [pool('web', 3)],
      conditionalEvents: [event({ scope: 'node', metric: 'cpuUsage', threshold: 0.9, for: '5m' })],
    });
    expect(moves(played(course, hot(10 * MINUTE, 14 * MINUTE)))).toEqual([]);
  });

  it('cools down after it was triggered, and is triggered at most so often', () => {
    const course = start({
      vmPools: [pool('web', 3)],
      conditionalEvents: [event({ metric: 'pendingVMs', threshold: 0 }, { cooldown: '10m', maxTimes: 3 })],
    });
    const times = moves(played(course, seen({ places, pending: 1 }))).map((word) => word.split(' ')[0]);
    expect(times).toEqual(['1', '11', '21']);
    expect(course.counters.conditionalEvents).toEqual([{ name: 'e', times: 3, last: 21 * MINUTE }]);
  });

  it('evaluates the mean of the cluster, below and above the threshold', () => {
    const course = start({
      duration: '5m',
      vmPools: [pool('web', 3)],
      conditionalEvents: [event({ metric: 'cpuUsage', operator: 'below', threshold: 0.4 }, { maxTimes: 1 })],
    });
    const nodes = [
      node('n-1', { cpuUsage: 0.2 }),
      node('n-2', { cpuUsage: 0.5 }),
      node('n-3', { cpuUsage: 0, up: false }),
    ];
    expect(moves(played(course, seen({ nodes, places })))).toHaveLength(1);
  });
});

describe('a scenario run', () => {
  const busy = {
    ...idle,
    vmPools: [pool('web', 5, { profile: 'idle' })],
    hotSpots: [{ name: 'hot', pick: { metric: 'cpuUsage', count: 2 } }],
    taskGenerators: [
      tasks({ hotSpot: 'hot', arrivals: { type: 'poisson', ratePerHour: 200 } }),
      tasks({ name: 'vms', creates: 'vm', lifetimeSeconds: { type: 'exponential', mean: 300 } }),
    ],
    conditionalEvents: [
      {
        name: 'e',
        when: { metric: 'pendingVMs', threshold: 0 },
        actions: [{ action: 'migrate', pool: 'web', count: 2 }],
      },
    ],
  };
  const places = { 'web-1': 'n-1', 'web-2': 'n-2', 'web-3': 'n-2', 'web-4': 'n-1', 'web-5': 'n-1' };

  it('is reproducible for a seed, and differs for another', () => {
    const run = (seed: string) => played(start(busy, seed), seen({ places, pending: 2 }));
    fc.assert(
      fc.property(fc.string(), (seed) => {
        expect(run(seed)).toEqual(run(seed));
      }),
      { numRuns: 20 },
    );
    expect(run('a')).not.toEqual(run('b'));
  });

  it('deletes only what it created, and once', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const there = new Set<string>();
        for (const { command } of played(start(busy, seed), seen({ places, pending: 2 }))) {
          if (command.do === 'create') {
            expect(there.has(command.newVm.name)).toBe(false);
            there.add(command.newVm.name);
          } else if (command.do === 'delete') expect(there.delete(command.vm)).toBe(true);
          else if (command.do === 'load') expect(there.has(command.vm)).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('continues where it was when it is evaluated late', () => {
    const course = start({
      vmPools: [pool('web', 1)],
      timeline: [{ at: '10m', action: 'scale', pool: 'web', count: 2 }],
    });
    course.step(0, seen());
    expect(words(course.step(25 * MINUTE, seen()).commands.map((command) => ({ at: 25 * MINUTE, command })))).toEqual([
      '25 create web-2',
    ]);
    expect(course.nextAt).toBe(26 * MINUTE);
  });
});
