import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import {
  type VirtualMachineInstanceMigration,
  virtualMachineInstanceMigration,
} from '#api/kubevirt/virtual-machine-instance-migration';
import { type FieldError, invalid } from '#platform/base/field-error';
import type { AdmissionRequest, AdmissionResult, Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { labels } from '#vm/admission/names';
import { inFlightMigration } from '#vm/engine/in-flight-migration';
import { ignoredFields, ignoredFieldWarning } from './ignored-fields.ts';

const findIdleFields = ignoredFields(virtualMachineInstanceMigration.schema.properties?.['spec'] ?? {}, 'spec');

/** Validates only creations, since a schema rule makes the spec immutable. */
export const virtualMachineInstanceMigrationAdmitter: Admitter<typeof virtualMachineInstanceMigration> = {
  kind: virtualMachineInstanceMigration,
  validate(request) {
    if (!changesSpec(request) || request.operation !== 'CREATE') return { causes: [], warnings: [] };
    const { spec } = request.object;
    const target = targetVerdict(request);
    return {
      causes: [...labels('spec.addedNodeSelector', spec.addedNodeSelector), ...target.causes],
      warnings: [...target.warnings, ...findIdleFields(spec).map(ignoredFieldWarning)],
    };
  },
};

/**
 * Validates the target with KubeVirt's messages. Without a cluster, the instance may be created before the migration
 * is.
 */
function targetVerdict({
  object,
  lookup,
  migrationsOf,
}: AdmissionRequest<VirtualMachineInstanceMigration>): AdmissionResult {
  const { vmiName } = object.spec;
  const { namespace } = object.metadata;
  const instance = lookup(virtualMachineInstance, namespace, vmiName);
  if (instance === undefined) {
    const missing = `the VMI "${namespace}/${vmiName}" does not exist`;
    if (migrationsOf === undefined) return { causes: [], warnings: [`spec.vmiName: ${missing}`] };
    return { causes: [invalid('spec.vmiName', vmiName, missing)], warnings: [] };
  }
  const causes: FieldError[] = [];
  const { phase, conditions = [] } = instance.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') {
    causes.push(invalid('spec.vmiName', vmiName, 'Cannot migrate VMI in finalized state.'));
  }
  const migratable = conditions.find(({ type }) => type === 'LiveMigratable');
  if (migratable?.status === 'False') {
    const detail = `Cannot migrate VMI, Reason: ${migratable.reason ?? ''}, Message: ${migratable.message ?? ''}`;
    causes.push(invalid('spec.vmiName', vmiName, detail));
  }
  const active = inFlightMigration(migrationsOf?.(namespace, vmiName) ?? []);
  if (active !== undefined) causes.push(invalid('spec.vmiName', vmiName, active));
  return { causes, warnings: [] };
}
