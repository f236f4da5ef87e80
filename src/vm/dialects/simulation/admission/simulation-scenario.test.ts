import { describe, expect, test } from 'vitest';
import { simulationScenario } from '#api/simulation/simulation-scenario';
import { formatFieldError } from '#platform/base/field-error';
import { admissionTrial } from '#testing/admission-trial';
import { admission } from '#vm/admission/admit';
import { simulationScenarioAdmitter } from './simulation-scenario.ts';

const trial = admissionTrial(simulationScenarioAdmitter);
const constant = (value: number) => ({ type: 'constant', constant: { value } });

/** Returns a valid scenario with one of every part. Tests replace the parts that they are about. */
function scenario(parts: object) {
  return {
    apiVersion: simulationScenario.apiVersion,
    kind: simulationScenario.kind,
    metadata: { name: 'trial', namespace: 'default' },
    spec: {
      duration: '2h',
      nodes: [{ name: 'rack', count: 2 }],
      vmPools: [{ name: 'web', count: 3, resources: { cpu: '2', memory: '4Gi' }, profile: 'steady' }],
      profiles: [{ name: 'steady', cpu: constant(0.5) }],
      hotSpots: [{ name: 'hot', pick: { metric: 'cpuUsage' } }],
      ...parts,
    },
  };
}
const event = (fields: object) => scenario({ timeline: [{ at: '1h', ...fields }] });
const profile = (cpu: object, memory?: object) =>
  scenario({ profiles: [{ name: 'steady', cpu, ...(memory === undefined ? {} : { memory }) }] });
const task = (fields: object) =>
  scenario({
    taskGenerators: [
      {
        name: 'tasks',
        pool: 'web',
        arrivals: { ratePerHour: 10 },
        cpu: { value: 1 },
        memoryGi: { value: 1 },
        lifetimeSeconds: { value: 60 },
        ...fields,
      },
    ],
  });
/** Values whose mean is exactly at a bound, or below 1 without a bound. */
const POSSIBLE_MEANS = [
  { mean: 0.25 },
  { mean: 0.25, min: 0.25 },
  { mean: 2, min: 2, max: 2 },
  { mean: 0.5, max: 0.5 },
  { mean: 1, min: 0.5, max: 3 },
];
const conditional = (when: object, action: object = { action: 'pause' }) =>
  scenario({
    conditionalEvents: [{ name: 'c', when: { metric: 'cpuUsage', threshold: 0.9, ...when }, actions: [action] }],
  });

test.each(POSSIBLE_MEANS)('a task generator may have %j', (bounds) => {
  const { causes } = trial(task({ cpu: { type: 'normal', stddev: 0.1, ...bounds } }));
  expect(causes).toEqual([]);
});

test('a scenario gets its defaults', () => {
  const { object, causes, warnings, unknownFields } = trial(scenario({}));
  expect([...causes, ...warnings, ...unknownFields]).toEqual([]);
  expect(object.spec).toMatchObject({
    timeScale: 1,
    paused: false,
    seed: 0,
    networkBandwidthMbps: 10_000,
    nodes: [{ name: 'rack', count: 2, cpu: '32', memory: '128Gi', maxPods: 110 }],
    hotSpots: [{ name: 'hot', pick: { metric: 'cpuUsage', order: 'highest', count: 1 } }],
  });
});

describe('every action', () => {
  test.each<[string, object]>([
    ['create', { pool: 'web', count: 2 }],
    ['delete', { pool: 'web' }],
    ['delete', { pool: 'web', count: 1 }],
    ['scale', { pool: 'web', count: 0 }],
    ['setUtilization', { pool: 'web', profile: 'steady' }],
    ['setUtilization', { vm: 'web-2', cpu: 1.2, memory: 0.4 }],
    ['addNodes', { nodeGroup: 'rack', count: 1 }],
    ['removeNodes', { nodes: ['rack-1'] }],
    ['failNodes', { nodes: ['rack'] }],
    ['failNodes', { hotSpot: 'hot' }],
    ['recoverNodes', { nodes: ['rack-2'] }],
    ['migrate', { vm: 'web-1', targetNode: 'rack-2' }],
    ['migrate', { pool: 'web', count: 2 }],
    ['pause', {}],
  ])('%s is accepted with %o', (action, fields) => {
    expect(trial(event({ action, ...fields })).causes).toEqual([]);
    expect(trial(conditional({}, { action, ...fields })).causes).toEqual([]);
  });

  const AT = 'spec.timeline[0]';
  test.each<[object, string[]]>([
    [
      { action: 'scale', pool: 'web' },
      [`${AT}.count: Required value: is required by the actions create, scale, addNodes`],
    ],
    [{ action: 'create', count: 1 }, [`${AT}.pool: Required value: is required by the actions create, delete, scale`]],
    [
      { action: 'pause', pool: 'web' },
      [`${AT}.pool: Forbidden: may only be set with the actions create, delete, scale, setUtilization, migrate`],
    ],
    [{ action: 'migrate' }, [`${AT}: Invalid value: setUtilization and migrate need exactly one of pool and vm`]],
    [{ action: 'migrate', vm: 'web-1', count: 1 }, [`${AT}.count: Forbidden: count cannot be set with vm`]],
    [
      { action: 'setUtilization', pool: 'web' },
      [`${AT}: Invalid value: setUtilization needs either a profile, or cpu, memory or both`],
    ],
    [
      { action: 'failNodes', nodes: ['rack-1'], hotSpot: 'hot' },
      [`${AT}: Invalid value: removeNodes and failNodes need exactly one of nodes and hotSpot`],
    ],
  ])('%o is rejected', (fields, causes) => {
    expect(trial(event(fields)).causes).toEqual(causes);
  });
});

describe('errors contain the field and a remedy:', () => {
  test.each<[string, object, string[]]>([
    [
      'an event without a time',
      scenario({ duration: '0s' }),
      ['spec.duration: Invalid value: "0s": must be greater than zero'],
    ],
    [
      'an event after the end',
      event({ at: '121m', action: 'pause' }),
      ['spec.timeline[0].at: Invalid value: "121m": must not be after the end of the scenario, 2h'],
    ],
    [
      'an unknown pool',
      event({ action: 'delete', pool: 'db' }),
      ['spec.timeline[0].pool: Invalid value: "db": must be the name of one of spec.vmPools: web'],
    ],
    [
      'an unknown profile',
      scenario({ profiles: [] }),
      [
        'spec.vmPools[0].profile: Invalid value: "steady": must be the name of one of spec.profiles, and there are none',
      ],
    ],
    [
      'an unknown hot spot',
      task({ pool: undefined, hotSpot: 'cold' }),
      ['spec.taskGenerators[0].hotSpot: Invalid value: "cold": must be the name of one of spec.hotSpots: hot'],
    ],
    [
      'an unknown node',
      event({ action: 'failNodes', nodes: ['rack-1', 'rack-3', 'other'] }),
      [
        'spec.timeline[0].nodes[1]: Invalid value: "rack-3": must be a node of one of spec.nodes, as <group>-<number>: rack',
        'spec.timeline[0].nodes[2]: Invalid value: "other": must be a node of one of spec.nodes, as <group>-<number>: rack',
      ],
    ],
    [
      'a group as the target',
      event({ action: 'migrate', pool: 'web', targetNode: 'rack' }),
      [
        'spec.timeline[0].targetNode: Invalid value: "rack": must be a node of one of spec.nodes, as <group>-<number>: rack',
      ],
    ],
    [
      'an unknown VM',
      event({ action: 'migrate', vm: 'web' }),
      ['spec.timeline[0].vm: Invalid value: "web": must be a VM of one of spec.vmPools, as <pool>-<number>: web'],
    ],
    [
      'nodes of an unknown group',
      event({ action: 'addNodes', nodeGroup: 'shelf', count: 1 }),
      ['spec.timeline[0].nodeGroup: Invalid value: "shelf": must be the name of one of spec.nodes: rack'],
    ],
    [
      'a group named like a node',
      scenario({ nodes: [{ name: 'rack' }, { name: 'rack-1' }] }),
      ['spec.nodes[1].name: Invalid value: "rack-1": could be a node of group rack'],
    ],
    [
      'a node without CPU',
      scenario({ nodes: [{ name: 'rack', cpu: '0' }] }),
      ['spec.nodes[0].cpu: Invalid value: "0": must be greater than zero'],
    ],
    [
      'a pool with ratios and amounts',
      scenario({ vmPools: [{ name: 'a', resources: { cpu: '1', memory: '2' } }] }),
      [
        'spec.vmPools[0].resources.memory: Invalid value: "2": must be a fraction of one node from 0 to 1; an absolute amount has a suffix, such as 8Gi',
      ],
    ],
    [
      'the wrong fields of a profile',
      profile({ type: 'sine', constant: { value: 1 } }),
      [
        'spec.profiles[0].cpu.constant: Forbidden: may only be set with type constant',
        'spec.profiles[0].cpu.sine: Required value: type sine needs sine',
      ],
    ],
    [
      'a trace with decreasing times',
      profile({
        type: 'trace',
        trace: {
          points: [
            { at: '5m', value: 1 },
            { at: '300s', value: 0 },
          ],
        },
      }),
      ['spec.profiles[0].cpu.trace.points[1].at: Invalid value: "300s": must be after the point before it, 5m'],
    ],
    [
      'a walk that starts outside its bounds',
      profile({ type: 'randomWalk', randomWalk: { start: 2, step: 0.1 } }),
      ['spec.profiles[0].cpu.randomWalk.start: Invalid value: 2: must be from min to max, 0 to 1'],
    ],
    [
      'a walk with equal bounds',
      profile({ type: 'randomWalk', randomWalk: { start: 0.5, step: 0.1, min: 0.6, max: 0.4 } }),
      ['spec.profiles[0].cpu.randomWalk.max: Invalid value: 0.4: may not be less than min, 0.6'],
    ],
    [
      'a period of 0',
      profile({ type: 'sine', sine: { mean: 1, amplitude: 0, period: '0s' } }),
      ['spec.profiles[0].cpu.sine.period: Invalid value: "0s": must be greater than zero'],
    ],
    [
      'more memory than the node has',
      profile(constant(3), constant(1.5)),
      ['spec.profiles[0].memory.constant.value: Invalid value: 1.5: memory use may not exceed 1'],
    ],
    [
      'a wave of memory above the node',
      profile(constant(1), { type: 'sine', sine: { mean: 0.8, amplitude: 0.3 } }),
      ['spec.profiles[0].memory.sine.amplitude: Invalid value: 0.3: memory use may not exceed 1'],
    ],
    [
      'a load without a target',
      task({ pool: undefined }),
      ['spec.taskGenerators[0]: Invalid value: creates: load needs exactly one of pool and hotSpot'],
    ],
    [
      'a VM with the name of a pool',
      task({ creates: 'vm' }),
      ['spec.taskGenerators[0]: Forbidden: creates: vm takes neither pool nor hotSpot: the scheduler places the VM'],
    ],
    [
      'VMs named like those of a pool',
      task({ creates: 'vm', pool: undefined, name: 'web' }),
      [
        'spec.taskGenerators[0].name: Invalid value: "web": is also the name of a pool, so their VMs would have the same names',
      ],
    ],
    [
      'an end before the start',
      task({ from: '1h', until: '30m' }),
      ['spec.taskGenerators[0].until: Invalid value: "30m": must be after from, 1h'],
    ],
    [
      'a rate instead of an interval',
      task({ arrivals: { type: 'exponential', mean: 5, ratePerHour: 2 } }),
      ['spec.taskGenerators[0].arrivals.ratePerHour: Forbidden: may only be set with type poisson'],
    ],
    [
      'tasks with an interval of 0',
      task({ arrivals: { type: 'constant', value: 0 } }),
      ['spec.taskGenerators[0].arrivals.value: Invalid value: 0: the time between two tasks must be more than 0'],
    ],
    [
      'tasks with a duration of 0',
      task({ lifetimeSeconds: { type: 'uniform', min: 0, max: 0 } }),
      ['spec.taskGenerators[0].lifetimeSeconds.max: Invalid value: 0: the lifetime of a task must be more than 0'],
    ],
    [
      'a uniform distribution without bounds',
      task({ cpu: { type: 'uniform', min: 1 } }),
      ['spec.taskGenerators[0].cpu.max: Required value: type uniform needs max'],
    ],
    [
      'a minimum above the maximum',
      task({ cpu: { type: 'uniform', min: 2, max: 1 } }),
      ['spec.taskGenerators[0].cpu.max: Invalid value: may not be less than min'],
    ],
    [
      'a mean below the minimum',
      task({ cpu: { type: 'normal', mean: 1, stddev: 1, min: 2 } }),
      ['spec.taskGenerators[0].cpu.mean: Invalid value: 1: may not be less than min, 2'],
    ],
    [
      'a mean below a minimum that is below 1',
      task({ cpu: { type: 'normal', mean: 0.5, stddev: 0.1, min: 0.8 } }),
      ['spec.taskGenerators[0].cpu.mean: Invalid value: 0.5: may not be less than min, 0.8'],
    ],
    [
      'a mean above the maximum',
      task({ memoryGi: { type: 'normal', mean: 9, stddev: 1, max: 8 } }),
      ['spec.taskGenerators[0].memoryGi.mean: Invalid value: 9: may not be more than max, 8'],
    ],
    [
      'pending VMs of a node',
      conditional({ scope: 'node', metric: 'pendingVMs', threshold: 3 }),
      [
        'spec.conditionalEvents[0].when.metric: Invalid value: "pendingVMs": applies to the whole cluster: a pending VM has no node',
      ],
    ],
    [
      'a condition that never holds',
      conditional({ metric: 'memoryUsage', threshold: 1 }),
      ['spec.conditionalEvents[0].when.threshold: Invalid value: 1: memoryUsage is never above 1'],
    ],
    [
      'a wait longer than the scenario',
      conditional({ for: '3h' }),
      ['spec.conditionalEvents[0].when.for: Invalid value: "3h": must not be after the end of the scenario, 2h'],
    ],
    [
      'a hot spot with nodes and a name',
      scenario({ hotSpots: [{ name: 'h', nodes: ['rack'], pick: { metric: 'vmCount' } }] }),
      ['spec.hotSpots[0]: Invalid value: a hot spot has exactly one of nodes and pick'],
    ],
  ])('%s', (_what, object, causes) => {
    expect(trial(object).causes).toEqual(causes);
  });
});

test('events may refer to nodes that are added to a group later', () => {
  const timeline = [
    { at: '1h', action: 'addNodes', nodeGroup: 'rack', count: 2 },
    { at: '1h', action: 'failNodes', nodes: ['rack-4'] },
  ];
  expect(trial(scenario({ timeline })).causes).toEqual([]);
});

test('events may refer to any nodes of the cluster', () => {
  const timeline = [{ at: '1h', action: 'failNodes', nodes: ['kwok-node-1'] }];
  expect(trial(scenario({ nodes: [], timeline })).causes).toEqual([]);
});

test('a wave that falls below zero gets a warning', () => {
  expect(trial(profile({ type: 'sine', sine: { mean: 0.2, amplitude: 0.3 } })).warnings).toEqual([
    'spec.profiles[0].cpu.sine falls below 0, which counts as 0: amplitude is more than mean',
  ]);
});

describe('a change', () => {
  const before = trial(scenario({})).object;
  const change = (parts: object, phase?: 'Pending' | 'Running' | 'Completed') =>
    admission(simulationScenarioAdmitter)({
      operation: 'UPDATE',
      object: scenario(parts),
      old: { ...before, ...(phase === undefined ? {} : { status: { phase } }) },
      user: { name: 'tester', groups: [] },
      lookup: () => undefined,
    }).causes.map(formatFieldError);

  test('of anything is accepted before the scenario has started', () => {
    expect(change({ duration: '3h' })).toEqual([]);
    expect(change({ duration: '3h' }, 'Pending')).toEqual([]);
  });

  test('of paused and timeScale is accepted while it runs', () => {
    expect(change({ paused: true, timeScale: 10 }, 'Running')).toEqual([]);
  });

  test('of anything else is rejected once it has started', () => {
    const words = 'only paused and timeScale may be changed after the scenario has started';
    expect(change({ duration: '3h', seed: 4 }, 'Running')).toEqual([
      `spec.duration: Forbidden: ${words}`,
      `spec.seed: Forbidden: ${words}`,
    ]);
    expect(change({ seed: 4 }, 'Completed')).toHaveLength(1);
  });
});

describe('the parameters of a distribution', () => {
  const valid = {
    constant: { value: 1 },
    uniform: { min: 1, max: 2 },
    normal: { mean: 1, stddev: 1 },
    exponential: { mean: 1 },
  };
  const refused = {
    constant: ['mean', 'stddev', 'min', 'max'],
    uniform: ['value', 'mean', 'stddev'],
    normal: ['value'],
    exponential: ['value', 'stddev'],
  };
  const causesOf = (cpu: object) => trial(task({ cpu })).causes;

  test.each(Object.entries(valid))('%s accept %j', (type, parameters) => {
    expect(causesOf({ type, ...parameters })).toEqual([]);
    for (const name of Object.keys(parameters)) {
      const { [name]: _, ...rest } = parameters as Record<string, number>;
      expect(causesOf({ type, ...rest })).toContainEqual(expect.stringContaining(`type ${type} needs ${name}`));
    }
  });

  test.each(Object.entries(refused))('%s do not accept %j', (type, names) => {
    for (const name of names) {
      const cpu = { type, ...valid[type as keyof typeof valid], [name]: 1 };
      expect(causesOf(cpu)).toContainEqual(expect.stringContaining(`type ${type} does not take ${name}`));
    }
  });
});
