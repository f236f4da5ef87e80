import { type VMOperation, vmOperation } from '#api/hypersdk/vm-operation';
import { OPERATION_FINALIZER } from '#api/operation-request';
import { type FieldError, forbidden, invalid } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { plausibleBytes, positiveDuration } from '#vm/admission/amounts';
import { changesSpec } from '#vm/admission/changes-spec';
import { label, subdomain } from '#vm/admission/names';
import { validateVMReference } from './vm-reference.ts';

type Spec = VMOperation['spec'];

export const vmOperationAdmitter: Admitter<typeof vmOperation> = {
  kind: vmOperation,
  finalizer: OPERATION_FINALIZER,
  // A clone operation populates the disks, so it must exist until all are populated.
  hasFinalizer: ({ spec }) => spec.operation === 'clone',
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { metadata, spec } = request.object;
    return {
      causes: [
        ...validateVMReference('spec.vmRef', spec.vmRef),
        ...positiveDuration('spec.timeout', spec.timeout),
        ...validateClone(spec, metadata.namespace),
        ...validateMigrate(spec.migrateSpec),
        ...plausibleBytes('spec.resizeSpec.memory', spec.resizeSpec?.memory, 'memory'),
        ...subdomain('spec.snapshotSpec.name', spec.snapshotSpec?.name),
        ...subdomain('spec.restoreSpec.snapshotName', spec.restoreSpec?.snapshotName),
        ...validateCancel(request.object, request.old),
      ],
      warnings: [
        ...ignoredDetails(spec),
        ...migrateWarnings(spec.migrateSpec),
        ...cancelledTwice(request.object, request.old),
      ],
    };
  },
};

function validateClone({ cloneSpec, vmRef }: Spec, ownNamespace: string): FieldError[] {
  if (cloneSpec === undefined) return [];
  const { targetName, targetNamespace, snapshotRef } = cloneSpec;
  const sourceNamespace = vmRef.namespace || ownNamespace;
  const isSource = targetName === vmRef.name && (targetNamespace || sourceNamespace) === sourceNamespace;
  return [
    ...label('spec.cloneSpec.targetName', targetName),
    ...(isSource ? [invalid('spec.cloneSpec.targetName', targetName, 'must differ from the VM that is cloned')] : []),
    ...label('spec.cloneSpec.targetNamespace', targetNamespace),
    ...subdomain('spec.cloneSpec.snapshotRef', snapshotRef),
  ];
}

function validateMigrate(migrateSpec: Spec['migrateSpec']): FieldError[] {
  const bandwidth = migrateSpec?.bandwidth;
  return [
    ...subdomain('spec.migrateSpec.targetNode', migrateSpec?.targetNode),
    ...(bandwidth !== undefined && /^0+[KMG]?bps$/.test(bandwidth)
      ? [invalid('spec.migrateSpec.bandwidth', bandwidth, 'must be greater than zero; omit it for no limit')]
      : []),
  ];
}

const isFinished = ({ status }: VMOperation) => status?.completionTime !== undefined;

/** A finished operation cannot be canceled. */
function validateCancel({ spec }: VMOperation, old: VMOperation | undefined): FieldError[] {
  if (old === undefined || !spec.cancel || old.spec.cancel || !isFinished(old)) return [];
  return [forbidden('spec.cancel', `the operation is already finished: its phase is ${old.status?.phase}`)];
}

function cancelledTwice({ spec }: VMOperation, old: VMOperation | undefined): string[] {
  if (old === undefined || !spec.cancel || !old.spec.cancel) return [];
  return [`spec.cancel is already set: the phase of the operation is ${old.status?.phase ?? 'Pending'}`];
}

const DETAILS = {
  cloneSpec: 'clone',
  migrateSpec: 'migrate',
  resizeSpec: 'resize',
  snapshotSpec: 'snapshot',
  restoreSpec: 'restore',
} as const;

/** Returns details that belong to another operation than the requested one. */
function ignoredDetails(spec: Spec): string[] {
  return (Object.keys(DETAILS) as (keyof typeof DETAILS)[])
    .filter((field) => spec[field] !== undefined && DETAILS[field] !== spec.operation)
    .map((field) => `spec.${field} is ignored: the operation is ${spec.operation}`);
}

function migrateWarnings(migrateSpec: Spec['migrateSpec']): string[] {
  if (migrateSpec === undefined || migrateSpec.live) return [];
  return migrateSpec.postCopy ? ['spec.migrateSpec.postCopy is ignored: the migration is not live'] : [];
}
