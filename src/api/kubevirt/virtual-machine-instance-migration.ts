import { conditions } from '#platform/schema/conditions';
import { defineKind, type InputOf, type ObjectOf } from '#platform/schema/kind';
import { choice, dateTime, list, map, object, requiredField, string } from '#platform/schema/schema';
import { migrationState } from './migration-state.ts';
import { kubevirtObject, kubevirtStatus } from './upstream.ts';

export const MIGRATION_PHASES = [
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'Running',
  'Succeeded',
  'Failed',
] as const;
export type MigrationPhase = (typeof MIGRATION_PHASES)[number];

const phase = (description: string) => choice(description, MIGRATION_PHASES);

const spec = kubevirtObject(
  'VirtualMachineInstanceMigrationSpec',
  'Instance to migrate. Immutable.',
  {
    vmiName: requiredField(
      string('Name of the instance, in the namespace of the migration.', { minLength: 1, maxLength: 253 }),
    ),
    addedNodeSelector: map(
      'Labels that the target node must have, in addition to those that the instance requires.',
      string('A label value.', { maxLength: 63 }),
      { maxProperties: 64 },
    ),
  },
  {
    rules: [
      {
        rule: 'self == oldSelf',
        message: "update of Migration object's spec is restricted",
        reason: 'FieldValueForbidden',
      },
    ],
  },
);

const status = kubevirtStatus(
  'VirtualMachineInstanceMigrationStatus',
  'Observed state of the migration.',
  {
    phase: phase('Phase of the migration.'),
    phaseTransitionTimestamps: list(
      'When each phase started.',
      object('The start of a phase.', {
        phase: phase('The phase.'),
        phaseTransitionTimestamp: dateTime('When it started.', { nullable: true }),
      }),
    ),
    conditions: conditions(
      'MigrationAbortRequested, MigrationRejectedByResourceQuota, TargetScheduled (if no node was found for the target)',
    ),
    migrationState,
  },
  { default: { phase: 'Pending' } },
);

/** Request to migrate a running instance to another node. */
export const virtualMachineInstanceMigration = defineKind({
  group: 'kubevirt.io',
  versions: ['v1', 'v1alpha3', 'v1alpha2'],
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  shortNames: ['vmim', 'vmims'],
  description: 'Live-migrates a VirtualMachineInstance to another node. Deleting it aborts the migration.',
  spec,
  status,
  columns: [
    { name: 'Phase', type: 'string', path: '.status.phase', description: 'Phase of the migration.' },
    { name: 'VMI', type: 'string', path: '.spec.vmiName', description: 'Instance to migrate.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since it was created.' },
  ],
  example: { name: 'move-web', spec: { vmiName: 'web' } },
});

export type VirtualMachineInstanceMigration = ObjectOf<typeof virtualMachineInstanceMigration>;
export type VirtualMachineInstanceMigrationInput = InputOf<typeof virtualMachineInstanceMigration>;
