import type { CelRule } from '#platform/schema/json-schema';
import type { InputOf, ObjectOf } from '#platform/schema/kind';
import { defineKind } from '#platform/schema/kind';
import { boolean, choice, duration, integer, object, requiredField } from '#platform/schema/schema';
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
  'Requested operation and its VM.',
  {
    vmRef: requiredField(vmRef),
    operation: requiredField(
      choice('Operation to run.', [
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
      'Whether to force the operation: stop and restart cut the power, delete does not wait for the guest, start does not wait for clean electricity.',
      {
        default: false,
      },
    ),
    timeout: duration(
      'Timeout of the operation. After it, the operation fails and is rolled back as far as possible. It counts from the creation while the operation waits for others or for a missing object, and from its start afterwards.',
      { default: '10m' },
    ),
    cancel: boolean(
      'Set to true to cancel the operation, which cannot be undone. What has started is rolled back as far as possible: a migration is aborted, a snapshot or clone that is not ready is deleted, a VM that was stopped temporarily is started again. A finished operation cannot be cancelled.',
      { default: false },
    ),
    cloneSpec,
    migrateSpec,
    resizeSpec,
    snapshotSpec,
    restoreSpec,
    ttlSecondsAfterFinished: integer('Seconds after which the finished operation is deleted. If not set, it is kept.', {
      format: 'int32',
      minimum: 0,
    }),
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
    'One operation on a virtual machine: start, stop, clone, migrate, resize, snapshot and others. Operations of a VM run one at a time, in order of creation. Clones, which do not change the VM, run concurrently, and an operation that waits for a missing snapshot does not block others.',
  spec,
  status: vmOperationStatus,
  columns: [
    { name: 'VM', type: 'string', path: '.spec.vmRef.name', description: 'The VM.' },
    { name: 'Operation', type: 'string', path: '.spec.operation', description: 'Operation to run.' },
    { name: 'Status', type: 'string', path: '.status.phase', description: 'Phase of the operation.' },
    { name: 'Progress', type: 'integer', path: '.status.progress', description: 'Progress in percent.' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp', description: 'Time since creation.' },
  ],
  example: {
    name: 'move-web',
    spec: { vmRef: { name: 'web' }, operation: 'migrate', migrateSpec: { bandwidth: '500Mbps' } },
  },
});

export type VMOperation = ObjectOf<typeof vmOperation>;
export type VMOperationInput = InputOf<typeof vmOperation>;
