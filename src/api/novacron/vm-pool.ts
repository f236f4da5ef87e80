import { conditions } from '#platform/schema/conditions';
import type { CelRule } from '#platform/schema/json-schema';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { labelSelector } from '#platform/schema/placement';
import { integer, list, number, object, required, string, timestamp, withDescription } from '#platform/schema/schema';
import { autoscaling } from './autoscaling.ts';
import { machineTemplate, templateRules } from './machine-template.ts';
import { requiredByRule } from './required-by-rule.ts';
import { poolUpdateStrategy } from './update-strategy.ts';

const bounds: readonly CelRule[] = [
  {
    rule: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
    message: 'may not be less than minReplicas',
    fieldPath: '.maxReplicas',
  },
  {
    rule: '!has(self.replicas) || !has(self.minReplicas) || self.replicas >= self.minReplicas',
    message: 'may not be less than minReplicas',
    fieldPath: '.replicas',
  },
  {
    rule: '!has(self.replicas) || !has(self.maxReplicas) || self.replicas <= self.maxReplicas',
    message: 'may not be more than maxReplicas',
    fieldPath: '.replicas',
  },
  {
    rule: '!has(self.autoscaling) || !self.autoscaling.enabled || has(self.maxReplicas)',
    message: 'autoscaling needs an upper bound',
    reason: 'FieldValueRequired',
    fieldPath: '.maxReplicas',
  },
];

const count = (description: string) => integer(description, { format: 'int32', minimum: 0 });

const spec = object(
  'The machines that are wanted.',
  {
    replicas: count(
      'How many machines are wanted, within minReplicas and maxReplicas; left out, minReplicas or 1. With autoscaling it is where the pool begins.',
    ),
    minReplicas: count('Fewest machines that the pool may have; left out, 0, and 1 with autoscaling.'),
    maxReplicas: integer('Most machines that the pool may have; required with autoscaling.', {
      format: 'int32',
      minimum: 1,
    }),
    selector: withDescription(
      labelSelector,
      "Selects the machines of the pool; the template's labels must match. Left out, a label of the pool's own.",
    ),
    template: requiredByRule(
      withDescription(
        machineTemplate,
        "What each machine is made of; without an image it gets the operator's default image.",
      ),
    ),
    autoscaling,
    updateStrategy: poolUpdateStrategy,
  },
  { rules: [...templateRules({ image: 'optional' }), ...bounds] },
);

const status = object('What was last observed.', {
  observedGeneration: integer('Generation of the spec that this status is about.', { format: 'int64', minimum: 0 }),
  replicas: count('Machines that exist.'),
  readyReplicas: count('Machines that are ready.'),
  availableReplicas: count('Machines that have been ready long enough.'),
  unavailableReplicas: count('Machines that are wanted and not available.'),
  updatedReplicas: count('Machines made from the present template.'),
  desiredReplicas: count('Machines that the autoscaler wants, or spec.replicas without it.'),
  selector: string('Selector of the machines as text, for the scale subresource.'),
  currentRevision: string('Revision of the template that machines had before the update.'),
  updateRevision: string('Revision of the present template.'),
  lastScaleTime: timestamp('When the number of machines was last changed.'),
  forecast: object('What is foreseen, with predictive scaling.', {
    model: string('Model that made the forecast.'),
    generatedAt: timestamp('When the forecast was made.'),
    peakAt: timestamp('When most machines will be needed within the horizon.'),
    peakReplicas: count('How many machines will be needed then.'),
    error: number('Mean error of past forecasts, as a share of what came to be.', { minimum: 0 }),
    message: string('Why there is no forecast, if there is none.'),
  }),
  vms: list(
    'The machines.',
    object('A machine of the pool.', {
      name: required(string('Name of the VirtualMachine.')),
      phase: string('Its phase.'),
      node: string('Node that it runs on.'),
    }),
    { keys: ['name'] },
  ),
  conditions: conditions('Available, Progressing, ScalingActive, ScalingLimited'),
});

export const vmPool = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VMPool',
  plural: 'vmpools',
  shortNames: ['vmpool'],
  description: 'A group of like virtual machines whose number follows demand; `kubectl scale` works on it.',
  spec,
  status,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    { name: 'Desired', type: 'integer', path: '.status.desiredReplicas', description: 'Machines that are wanted.' },
    { name: 'Current', type: 'integer', path: '.status.replicas', description: 'Machines that exist.' },
    { name: 'Ready', type: 'integer', path: '.status.readyReplicas', description: 'Machines that are ready.' },
    {
      name: 'Updated',
      type: 'integer',
      path: '.status.updatedReplicas',
      description: 'Machines made from the present template.',
      wide: true,
    },
    { name: 'Min', type: 'integer', path: '.spec.minReplicas', description: 'Fewest machines.', wide: true },
    { name: 'Max', type: 'integer', path: '.spec.maxReplicas', description: 'Most machines.', wide: true },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'web',
    spec: {
      replicas: 3,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { resources: { cpu: 2, memory: '4Gi' }, image: { source: 'marketplace://debian-12' } },
      },
    },
  },
});

export type VMPool = ObjectOf<typeof vmPool>;
export type VMPoolInput = InputOf<typeof vmPool>;
