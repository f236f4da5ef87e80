import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { boolean, choice, dateTime, integer, number, object, requiredField, string } from '#platform/schema/schema';
import { startFailure, stateChangeRequests } from '../kubevirt/virtual-machine-status.ts';
import { simulationResources, utilization } from './resources.ts';

/** Annotations with the consumption of a VM of the ratio form. */
export const SIMULATION_CPU_CONSUMPTION = 'simulation.node-classifier.io/cpu-consumption';
export const SIMULATION_MEMORY_CONSUMPTION = 'simulation.node-classifier.io/memory-consumption';
/** Annotation with the node of the VM's next start, which bypasses the scheduler. */
export const FORCED_NODE = 'simulation.node-classifier.io/node';
/** Annotation with the name of the VM's first pod, which the creator of the VM may create before an operator does. */
export const FIRST_POD = 'simulation.node-classifier.io/pod';

export const PHASES = ['Pending', 'Scheduling', 'Scheduled', 'Running', 'Stopped', 'Failed'] as const;
export type Phase = (typeof PHASES)[number];

const spec = object('Desired state of the simulated VM.', {
  resources: requiredField(simulationResources),
  utilization,
  running: boolean('Whether the VM should run.', { default: true }),
  migration: object('Migration behavior of the VM.', {
    dirtyRateMbps: number('Rate at which the guest writes memory, in megabits per second. Defaults to 0.', {
      minimum: 0,
    }),
  }),
});

const status = object('Observed state of the VM.', {
  observedGeneration: integer('Generation of the spec that this status describes.', { format: 'int64', minimum: 0 }),
  phase: choice('Lifecycle phase of the VM.', PHASES),
  nodeName: string('Node that the VM runs on.'),
  podName: string('Launcher pod of the VM.'),
  cpuConsumption: string('CPU consumption, as a fraction of one node.'),
  memoryConsumption: string('Memory consumption, as a fraction of one node.'),
  allocatedCpu: string('CPU that the pod requests.'),
  allocatedMemory: string('Memory that the pod requests.'),
  cpuUtilization: string('CPU utilization, as a fraction of the allocated CPU.'),
  memoryUtilization: string('Memory utilization, as a fraction of the allocated memory.'),
  evacuationNodeName: string('Source node of the migration in progress.'),
  conditions: conditions(
    'Ready, PodScheduled, RestartRequired, Failure, LastShutdown, and one for each phase that the VM has been in, which is True during that phase',
  ),
  createdAt: dateTime('When the VM was first observed.'),
  stateChangeRequests,
  startFailure,
});

export const virtualMachine = defineKind({
  group: 'simulation.node-classifier.io',
  versions: ['v1alpha1'],
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  shortNames: ['vm', 'vms'],
  description: 'A simulated virtual machine: a pod that the scheduler places, with a configured resource consumption.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Lifecycle phase of the VM.' },
    { name: 'CPU', type: 'string', path: '.spec.resources.cpu', description: 'CPU of the VM.' },
    { name: 'Memory', type: 'string', path: '.spec.resources.memory', description: 'Memory of the VM.' },
    { name: 'CPU-Util', type: 'string', path: '.status.cpuUtilization', description: 'CPU utilization.' },
    { name: 'Mem-Util', type: 'string', path: '.status.memoryUtilization', description: 'Memory utilization.' },
    { name: 'Node', type: 'string', path: '.status.nodeName', description: 'Node that the VM runs on.' },
    { name: 'Pod', type: 'string', path: '.status.podName', description: 'Launcher pod.', wide: true },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: { name: 'vm-small-1', spec: { resources: { cpu: '0.05', memory: '0.08' } } },
});

export type VirtualMachine = ObjectOf<typeof virtualMachine>;
export type VirtualMachineInput = InputOf<typeof virtualMachine>;
