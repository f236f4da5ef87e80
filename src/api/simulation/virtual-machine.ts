import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, integer, number, object, required, string, timestamp } from '#platform/schema/schema';
import { startFailure, stateChangeRequests } from '../kubevirt/virtual-machine-status.ts';
import { resources, utilization } from './resources.ts';

/** Annotations with the consumption of a VM of the ratio form. */
export const CPU_CONSUMPTION = 'simulation.node-classifier.io/cpu-consumption';
export const MEMORY_CONSUMPTION = 'simulation.node-classifier.io/memory-consumption';
/** Annotation with the node of the VM's next start, which bypasses the scheduler. */
export const FORCED_NODE = 'simulation.node-classifier.io/node';
/** Annotation with the name of the VM's first pod, which the creator of the VM may create before an operator does. */
export const FIRST_POD = 'simulation.node-classifier.io/pod';

export const PHASES = ['Pending', 'Scheduling', 'Scheduled', 'Running', 'Stopped', 'Failed'] as const;
export type Phase = (typeof PHASES)[number];

const spec = object('The simulated machine that is wanted.', {
  resources: required(resources),
  utilization,
  running: boolean('Whether the machine should run.', { default: true }),
  migration: object('How the machine behaves when it moves.', {
    dirtyRateMbps: number('How fast the guest writes to its memory, in megabits a second; none when left out.', {
      minimum: 0,
    }),
  }),
});

const status = object('What was last observed.', {
  observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
  phase: choice('Where the machine is in its life.', PHASES),
  nodeName: string('Node that the machine runs on.'),
  podName: string('Pod that stands for the machine.'),
  cpuConsumption: string('CPU that is consumed, as a share of one node.'),
  memoryConsumption: string('Memory that is consumed, as a share of one node.'),
  allocatedCpu: string('CPU that the pod requests.'),
  allocatedMemory: string('Memory that the pod requests.'),
  cpuUtilization: string('CPU in use, as a share of what is allocated.'),
  memoryUtilization: string('Memory in use, as a share of what is allocated.'),
  evacuationNodeName: string('Node that the machine is being moved off.'),
  conditions: conditions(
    'Ready, PodScheduled, RestartRequired, Failure, LastShutdown, and one for each phase that the machine has been in: True while it is, with when that changed',
  ),
  createdAt: timestamp('When the machine was first seen.'),
  stateChangeRequests,
  startFailure,
});

export const virtualMachine = defineKind({
  group: 'simulation.node-classifier.io',
  versions: ['v1alpha1'],
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  description: 'A simulated virtual machine: a pod that the scheduler places and that consumes what it is told to.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Where the machine is in its life.' },
    { name: 'CPU', type: 'string', path: '.spec.resources.cpu', description: 'CPU of the machine.' },
    { name: 'Memory', type: 'string', path: '.spec.resources.memory', description: 'Memory of the machine.' },
    { name: 'CPU-Util', type: 'string', path: '.status.cpuUtilization', description: 'Share of its CPU in use.' },
    { name: 'Mem-Util', type: 'string', path: '.status.memoryUtilization', description: 'Share of its memory in use.' },
    { name: 'Node', type: 'string', path: '.status.nodeName', description: 'Node that the machine runs on.' },
    { name: 'Pod', type: 'string', path: '.status.podName', description: 'Pod that stands for it.', wide: true },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: { name: 'vm-small-1', spec: { resources: { cpu: '0.05', memory: '0.08' } } },
});

export type VirtualMachine = ObjectOf<typeof virtualMachine>;
export type VirtualMachineInput = InputOf<typeof virtualMachine>;
