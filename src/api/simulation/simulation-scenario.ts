import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import {
  boolean,
  choice,
  dateTime,
  duration,
  integer,
  list,
  number,
  object,
  quantity,
  requiredField,
  string,
} from '#platform/schema/schema';
import { hotSpots } from './hot-spot.ts';
import { partName } from './names.ts';
import { profiles } from './profile.ts';
import { labels, simulationResources } from './resources.ts';
import { conditionalEvents, timeline } from './scenario-event.ts';
import { taskGenerators } from './task-generator.ts';

const nodes = list(
  'Groups of identical nodes that the scenario creates, named <group>-1, <group>-2 and so on. If empty, it uses the existing simulated nodes.',
  object('A group of identical nodes.', {
    name: requiredField(partName('Name of the group, unique in the scenario.')),
    count: integer('Number of nodes.', { format: 'int32', minimum: 0, maximum: 10_000, default: 1 }),
    cpu: quantity('CPUs of each node.', { default: '32' }),
    memory: quantity('Memory of each node.', { default: '128Gi' }),
    maxPods: integer('Maximum pods on each node.', { format: 'int32', minimum: 1, default: 110 }),
    labels: labels('the nodes'),
  }),
  { keys: ['name'], maxItems: 64 },
);

const vmPools = list(
  'Groups of identical VMs, named <pool>-1, <pool>-2 and so on.',
  object('A group of identical VMs.', {
    name: requiredField(partName('Name of the pool, unique in the scenario.')),
    count: integer('Number of VMs at the start.', {
      format: 'int32',
      minimum: 0,
      maximum: 100_000,
      default: 1,
    }),
    resources: requiredField(simulationResources),
    profile: partName('Utilization profile of the VMs. Without one, they use all of their size.'),
    dirtyRateMbps: number('Rate at which each guest writes memory, in megabits per second. Defaults to 0.', {
      minimum: 0,
    }),
    labels: labels('the VMs'),
  }),
  { keys: ['name'], maxItems: 64 },
);

const spec = object('Desired state of the simulation.', {
  duration: requiredField(duration('Duration in simulated time.')),
  startTime: dateTime('Simulated time at the start. Defaults to midnight UTC of the current day.'),
  timeScale: number('Simulated seconds per real second.', {
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1_000_000,
    default: 1,
  }),
  paused: boolean('Whether simulated time is paused.', { default: false }),
  seed: integer('Random seed: the same seed gives the same simulation.', { format: 'int64', default: 0 }),
  networkBandwidthMbps: number('Network bandwidth of each node for migrations, in megabits per second.', {
    minimum: 0,
    exclusiveMinimum: true,
    default: 10_000,
  }),
  nodes,
  vmPools,
  profiles,
  hotSpots,
  timeline,
  taskGenerators,
  conditionalEvents,
});

const countField = (description: string) => integer(description, { format: 'int64', minimum: 0 });

const status = object('Observed state of the simulation.', {
  observedGeneration: integer('Generation of the spec that this status describes.', { format: 'int64', minimum: 0 }),
  phase: choice('Phase of the simulation.', ['Pending', 'Running', 'Paused', 'Completed', 'Failed']),
  startTime: dateTime('When it started, in real time.'),
  completionTime: dateTime('When it ended, in real time.'),
  currentSimulatedTime: dateTime('Current simulated time.'),
  elapsedRealTime: string('Elapsed real time.'),
  elapsedSimulatedTime: string('Elapsed simulated time.'),
  nodes: countField('Nodes that are up.'),
  vms: countField('VMs that exist.'),
  runningVMs: countField('VMs that run.'),
  pendingVMs: countField('Pending VMs.'),
  migrations: countField('Completed migrations.'),
  appliedEvents: countField('Events of the timeline that were applied.'),
  totalTasksGenerated: countField('Tasks that have arrived.'),
  droppedTasks: countField('Tasks that were dropped because there were too many.'),
  activeTasks: countField('Active tasks.'),
  conditionalEvents: list(
    'State of the conditional events.',
    object('A conditional event.', {
      name: requiredField(string('Name of the conditional event.')),
      times: countField('Number of times it triggered.'),
      lastTime: dateTime('When it last triggered, in simulated time.'),
    }),
    { keys: ['name'] },
  ),
  message: string('Why it failed or waits.'),
  conditions: conditions('Ready, Completed, Failed'),
});

export const simulationScenario = defineKind({
  group: 'simulation.node-classifier.io',
  versions: ['v1alpha1'],
  kind: 'SimulationScenario',
  plural: 'simulationscenarios',
  shortNames: ['scenario'],
  description: 'A simulation: nodes, VMs, their utilization over time, and events.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Phase of the simulation.' },
    { name: 'Simulated', type: 'string', path: '.status.elapsedSimulatedTime', description: 'Elapsed simulated time.' },
    { name: 'Duration', type: 'string', path: '.spec.duration', description: 'Total simulated time.' },
    { name: 'Real', type: 'string', path: '.status.elapsedRealTime', description: 'Elapsed real time.' },
    { name: 'VMs', type: 'integer', path: '.status.vms', description: 'VMs that exist.' },
    {
      name: 'Migrations',
      type: 'integer',
      path: '.status.migrations',
      description: 'Completed migrations.',
      wide: true,
    },
    {
      name: 'Tasks',
      type: 'integer',
      path: '.status.totalTasksGenerated',
      description: 'Tasks that have arrived.',
      wide: true,
    },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'morning',
    spec: {
      duration: '4h',
      timeScale: 60,
      nodes: [{ name: 'node', count: 3 }],
      vmPools: [{ name: 'web', count: 6, resources: { cpu: '0.05', memory: '0.08' } }],
      timeline: [{ at: '1h', action: 'scale', pool: 'web', count: 12 }],
    },
  },
});

export type SimulationScenario = ObjectOf<typeof simulationScenario>;
export type SimulationScenarioInput = InputOf<typeof simulationScenario>;
