import type { CelRule } from '#platform/schema/json-schema';
import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import { boolean, choice, duration, integer, object, required } from '#platform/schema/schema';
import { immutable } from './immutable.ts';
import { cloneSpec, migrateSpec, resizeSpec, restoreSpec, snapshotSpec } from './vm-operation-detail.ts';
import { vmOperationStatus } from './vm-operation-status.ts';
import { vmRef } from './vm-reference.ts';

/** An operation is one request. Its parameters are immutable, and another request requires a new operation. */
const fixed = [
  'vmRef',
  'operation',
  'force',
  'timeout',
  'cloneSpec',
  'migrateSpec',
  'resizeSpec',
  'snapshotSpec',
  'restoreSpec',
].map((field) => immutable(field, `${field} cannot be changed: create another VMOperation`));

function requiredFor(operation: string, given: string, field: string, message: string): CelRule {
  return {
    rule: `self.operation != '${operation}' || (${given})`,
    message,
    reason: 'FieldValueRequired',
    fieldPath: `.${field}`,
  };
}

const spec = object(
  'What is to be done with which machine.',
  {
    vmRef: required(vmRef),
    operation: required(
      choice('What is to be done.', [
        'start',
        'stop',
        'restart',
        'clone',
        'migrate',
        'snapshot',
        'restore',
        'resize',
        'delete',
      ]),
    ),
    force: boolean(
      'Whether to go ahead without asking: stop and restart cut the power, delete does not wait for the guest, start does not wait for clean electricity.',
      {
        default: false,
      },
    ),
    timeout: duration(
      'How long the operation may take; after it the operation has failed, and what can be taken back is. It is counted from its creation while it waits for its turn or for something that is not there, and from its start then.',
      { default: '10m' },
    ),
    cancel: boolean(
      'Set to true to call the operation off; it cannot be taken back. What has been begun and can be taken back is: a migration is given up, a snapshot or clone that is not ready is removed, a machine that was stopped for a while goes on. One that is over cannot be called off.',
      { default: false },
    ),
    cloneSpec,
    migrateSpec,
    resizeSpec,
    snapshotSpec,
    restoreSpec,
    ttlSecondsAfterFinished: integer(
      'Seconds after which the finished operation is deleted; it is kept when left out.',
      { format: 'int32', minimum: 0 },
    ),
  },
  {
    rules: [
      requiredFor(
        'clone',
        'has(self.cloneSpec) && has(self.cloneSpec.targetName)',
        'cloneSpec',
        'operation clone needs cloneSpec.targetName',
      ),
      requiredFor(
        'resize',
        'has(self.resizeSpec) && (has(self.resizeSpec.cpus) || has(self.resizeSpec.memory))',
        'resizeSpec',
        'operation resize needs resizeSpec.cpus or resizeSpec.memory',
      ),
      requiredFor(
        'restore',
        'has(self.restoreSpec) && has(self.restoreSpec.snapshotName)',
        'restoreSpec',
        'operation restore needs restoreSpec.snapshotName',
      ),
      ...fixed,
      {
        rule: '!oldSelf.cancel || self.cancel',
        message: 'a cancelled operation stays cancelled: create another VMOperation',
        reason: 'FieldValueForbidden',
        fieldPath: '.cancel',
      },
    ],
  },
);

export const vmOperation = defineKind({
  group: 'hypersdk.io',
  versions: ['v1alpha1'],
  kind: 'VMOperation',
  plural: 'vmoperations',
  shortNames: ['vmop', 'vmops'],
  description:
    'One request to a virtual machine: start, stop, clone, migrate, resize, snapshot and the like. A machine has one at a time, in the order of their creation; clones, which leave it as it is, go beside each other, and one that names a snapshot which is not there holds up nobody before it is.',
  spec,
  status: vmOperationStatus,
  columns: [
    { name: 'VM', type: 'string', path: '.spec.vmRef.name', description: 'The machine.' },
    { name: 'Operation', type: 'string', path: '.spec.operation', description: 'What is to be done.' },
    { name: 'Status', type: 'string', path: '.status.phase', description: 'Where the operation is in its life.' },
    { name: 'Progress', type: 'integer', path: '.status.progress', description: 'Progress in per cent.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'move-web',
    spec: { vmRef: { name: 'web' }, operation: 'migrate', migrateSpec: { bandwidth: '500Mbps' } },
  },
});

export type VMOperation = ObjectOf<typeof vmOperation>;
export type VMOperationInput = InputOf<typeof vmOperation>;
