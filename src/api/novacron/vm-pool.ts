import { conditions } from '#platform/schema/conditions';
import type { CelRule } from '#platform/schema/json-schema';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { labelSelector } from '#platform/schema/placement';
import {
  boolean,
  dateTime,
  integer,
  list,
  number,
  object,
  requiredField,
  string,
  withDescription,
} from '#platform/schema/schema';
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
  'Desired state of the pool.',
  {
    replicas: count(
      'Desired number of VMs, within minReplicas and maxReplicas. Defaults to minReplicas or 1. With autoscaling, it is the initial number.',
    ),
    minReplicas: count('Minimum number of VMs. Defaults to 0, and to 1 with autoscaling.'),
    maxReplicas: integer('Maximum number of VMs; required with autoscaling.', {
      format: 'int32',
      minimum: 1,
    }),
    selector: withDescription(
      labelSelector,
      'Selects the VMs of the pool; the labels of the template must match. Defaults to the label novacron.io/pool, which every VM of the pool has.',
    ),
    template: requiredByRule(
      withDescription(
        machineTemplate,
        'Template of each VM; without an image, VMs get the default image of the operator.',
      ),
    ),
    autoscaling,
    updateStrategy: poolUpdateStrategy,
    paused: boolean('Whether template changes wait: no VM is replaced, and new ones have the previous template.', {
      default: false,
    }),
    minReadySeconds: integer('How long a new VM must be ready before it counts as available.', {
      format: 'int32',
      minimum: 0,
      default: 0,
    }),
    revisionHistoryLimit: integer('How many former templates are kept as ControllerRevisions, for undo.', {
      format: 'int32',
      minimum: 0,
      default: 10,
    }),
  },
  { rules: [...templateRules({ image: 'optional' }), ...bounds] },
);

const status = object('Observed state of the pool.', {
  observedGeneration: integer('Generation of the spec that this status describes.', { format: 'int64', minimum: 0 }),
  replicas: count('VMs that exist.'),
  readyReplicas: count('VMs that are ready.'),
  availableReplicas: count('VMs that have been ready long enough.'),
  unavailableReplicas: count('Desired VMs that are not available.'),
  updatedReplicas: count('VMs that have the current template.'),
  desiredReplicas: count('Number of VMs that the autoscaler wants, or spec.replicas without it.'),
  selector: string('Selector of the VMs as a string, for the scale subresource.'),
  currentRevision: string('Revision of the template before the update.'),
  updateRevision: string('Revision of the current template.'),
  collisionCount: count('How often the name of a revision was taken.'),
  lastScaleTime: dateTime('When the number of VMs was last changed.'),
  forecast: object('Forecast of predictive scaling.', {
    model: string('Model that made the forecast.'),
    generatedAt: dateTime('When the forecast was made.'),
    peakAt: dateTime('Time of the peak demand within the horizon.'),
    peakReplicas: count('Number of VMs needed at the peak.'),
    error: number('Mean relative error of past forecasts.', { minimum: 0 }),
    naiveError: number('Mean relative error of the better naive forecast over the same time.', { minimum: 0 }),
    coverage: number('Ratio of samples that were at most the upper bound of their forecast.', {
      minimum: 0,
      maximum: 1,
    }),
    message: string('Why there is no forecast, or why it is not used.'),
  }),
  vms: list(
    'The VMs, at most 1000 of them.',
    object('A VM of the pool.', {
      name: requiredField(string('Name of the VirtualMachine.')),
      phase: string('Its phase.'),
      node: string('Node that it runs on.'),
    }),
    { keys: ['name'] },
  ),
  conditions: conditions(
    'Available, Progressing, ScalingActive, ScalingLimited, ForecastUsed (with predictive scaling), ReplicaFailure (if a VM cannot be created or deleted)',
  ),
});

export const vmPool = defineKind({
  group: 'novacron.io',
  versions: ['v1alpha1'],
  kind: 'VMPool',
  plural: 'vmpools',
  shortNames: ['vmpool'],
  description: 'A group of identical virtual machines whose number follows demand; `kubectl scale` works on it.',
  spec,
  status,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    { name: 'Desired', type: 'integer', path: '.status.desiredReplicas', description: 'Desired VMs.' },
    { name: 'Current', type: 'integer', path: '.status.replicas', description: 'VMs that exist.' },
    { name: 'Ready', type: 'integer', path: '.status.readyReplicas', description: 'VMs that are ready.' },
    {
      name: 'Updated',
      type: 'integer',
      path: '.status.updatedReplicas',
      description: 'VMs that have the current template.',
      wide: true,
    },
    { name: 'Min', type: 'integer', path: '.spec.minReplicas', description: 'Minimum number of VMs.', wide: true },
    { name: 'Max', type: 'integer', path: '.spec.maxReplicas', description: 'Maximum number of VMs.', wide: true },
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
