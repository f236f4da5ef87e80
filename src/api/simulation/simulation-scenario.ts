import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import {
  boolean,
  choice,
  duration,
  integer,
  list,
  number,
  object,
  quantity,
  required,
  string,
  timestamp,
} from '#platform/schema/schema';
import { hotSpots } from './hot-spot.ts';
import { partName } from './names.ts';
import { profiles } from './profile.ts';
import { labels, resources } from './resources.ts';
import { conditionalEvents, timeline } from './scenario-event.ts';
import { taskGenerators } from './task-generator.ts';

const nodes = list(
  'Groups of like nodes that the scenario brings, named <group>-1, <group>-2 and so on; empty means the simulated nodes that are there.',
  object('A group of like nodes.', {
    name: required(partName('Name of the group, unique in the scenario.')),
    count: integer('How many nodes.', { format: 'int32', minimum: 0, maximum: 10_000, default: 1 }),
    cpu: quantity('CPUs of each node.', { default: '32' }),
    memory: quantity('Memory of each node.', { default: '128Gi' }),
    maxPods: integer('Most pods on each node.', { format: 'int32', minimum: 1, default: 110 }),
    labels: labels('the nodes'),
  }),
  { keys: ['name'], maxItems: 64 },
);

const vmPools = list(
  'Groups of like machines, named <pool>-1, <pool>-2 and so on.',
  object('A group of like machines.', {
    name: required(partName('Name of the pool, unique in the scenario.')),
    count: integer('How many machines there are at the start.', {
      format: 'int32',
      minimum: 0,
      maximum: 100_000,
      default: 1,
    }),
    resources: required(resources),
    profile: partName('Profile that says how busy they are; left out, they use all of their size.'),
    dirtyRateMbps: number('How fast each guest writes to its memory, in megabits a second; none when left out.', {
      minimum: 0,
    }),
    labels: labels('the machines'),
  }),
  { keys: ['name'], maxItems: 64 },
);

const spec = object('The course of the simulation.', {
  duration: required(duration('How long it lasts, in simulated time.')),
  startTime: timestamp('Simulated time at the start; midnight UTC of the day it begins when left out.'),
  timeScale: number('How many simulated seconds pass in one real second.', {
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1_000_000,
    default: 1,
  }),
  paused: boolean('Whether simulated time stands still; set it to pause, clear it to resume.', { default: false }),
  seed: integer('Where all chance begins: the same seed gives the same course.', { format: 'int64', default: 0 }),
  networkBandwidthMbps: number('Bandwidth of the link of each node for migrations, in megabits a second.', {
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

const status = object('How far the simulation is.', {
  observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
  phase: choice('Whether it runs.', ['Pending', 'Running', 'Paused', 'Completed', 'Failed']),
  startTime: timestamp('When it began, in real time.'),
  completionTime: timestamp('When it ended, in real time.'),
  currentSimulatedTime: timestamp('What time it is in the simulation.'),
  elapsedRealTime: string('How long it has run, in real time.'),
  elapsedSimulatedTime: string('How long it has run, in simulated time.'),
  nodes: countField('Nodes that are up.'),
  vms: countField('Machines that exist.'),
  runningVMs: countField('Machines that run.'),
  pendingVMs: countField('Machines that wait for a node.'),
  migrations: countField('Migrations that were completed.'),
  appliedEvents: countField('Events of the timeline that have happened.'),
  totalTasksGenerated: countField('Tasks that have arrived.'),
  droppedTasks: countField('Tasks that were dropped because too many were there.'),
  activeTasks: countField('Tasks that are under way.'),
  conditionalEvents: list(
    'What became of the conditional events.',
    object('A conditional event.', {
      name: required(string('Name of the conditional event.')),
      times: countField('How often it happened.'),
      lastTime: timestamp('When it last happened, in simulated time.'),
    }),
    { keys: ['name'] },
  ),
  message: string('Why it failed or waits, if it does.'),
  conditions: conditions('Ready, Completed, Failed'),
});

export const simulationScenario = defineKind({
  group: 'simulation.node-classifier.io',
  versions: ['v1alpha1'],
  kind: 'SimulationScenario',
  plural: 'simulationscenarios',
  shortNames: ['scenario'],
  description: 'A simulated stretch of time: nodes, machines, how busy they are, and what happens when.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Whether it runs.' },
    { name: 'Simulated', type: 'string', path: '.status.elapsedSimulatedTime', description: 'Simulated time so far.' },
    { name: 'Duration', type: 'string', path: '.spec.duration', description: 'Simulated time in all.' },
    { name: 'Real', type: 'string', path: '.status.elapsedRealTime', description: 'Real time so far.' },
    { name: 'VMs', type: 'integer', path: '.status.vms', description: 'Machines that exist.' },
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
