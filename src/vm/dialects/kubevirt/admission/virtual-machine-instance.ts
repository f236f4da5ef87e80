import { IDENTITY_ANNOTATION } from '#api/instance-request';
import { type VirtualMachineInstance, virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { LAUNCHER_ANNOTATION, NODE_ANNOTATION } from '#api/launcher';
import { type FieldError, forbidden } from '#platform/base/field-error';
import { jsonEqual } from '#platform/base/json-equal';
import type { AdmissionRequest, AdmissionResult, Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { missingVolumes, unusedVolumes } from './disk-volumes.ts';
import { ignoredFields, ignoredFieldWarning } from './ignored-fields.ts';
import { validateInstanceSpec } from './instance-spec.ts';
import { memoryMissing } from './resources.ts';

/** Labels by which controllers find their instances, so users must not set them. */
const RESERVED_LABELS = [
  'kubevirt.io/created-by',
  'kubevirt.io/migrationJobUID',
  'kubevirt.io/nodeName',
  'kubevirt.io/migrationTargetNodeName',
  'kubevirt.io/schedulable',
  'kubevirt.io/install-strategy',
];

const findIdleFields = ignoredFields(virtualMachineInstance.schema.properties?.['spec'] ?? {}, 'spec');

/** Annotations for placement and addresses. A user's value could take the address of another VM. */
const RESERVED_ANNOTATIONS = [IDENTITY_ANNOTATION, NODE_ANNOTATION, LAUNCHER_ANNOTATION];

export const virtualMachineInstanceAdmitter: Admitter<typeof virtualMachineInstance> = {
  kind: virtualMachineInstance,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const operates = request.operates?.() === true;
    // Superusers have every verb, but change VMs by their VirtualMachine like other users.
    const byOperator = operates && !request.user.groups.includes('system:masters');
    const { causes, warnings } = verdictOn(request, byOperator);
    return { causes: operates ? causes : [...causes, ...annotationCauses(request)], warnings };
  },
};

function verdictOn(request: AdmissionRequest<VirtualMachineInstance>, byOperator: boolean): AdmissionResult {
  const { object, old } = request;
  if (old !== undefined && jsonEqual(old.spec, object.spec)) {
    return { causes: byOperator ? [] : validateLabel(object, old), warnings: [] };
  }
  if (old !== undefined && !byOperator) {
    const detail = 'update of VMI object is restricted: change the VirtualMachine that it belongs to';
    return { causes: [forbidden('spec', detail), ...validateLabel(object, old)], warnings: [] };
  }
  const oldVersion = (object.apiVersion as string) !== virtualMachineInstance.apiVersion;
  const volumes = missingVolumes(object.spec, 'spec', { old: old?.spec, oldVersion });
  const noMemory = memoryMissing(object.spec, 'spec');
  return {
    causes: [
      ...(byOperator ? [] : validateLabel(object, old)),
      ...(noMemory === undefined ? [] : [noMemory]),
      ...validateInstanceSpec(object.spec, 'spec', { anySize: byOperator }),
      ...volumes.causes,
      ...unusedVolumes(object.spec, 'spec'),
    ],
    // The operator has no use for warnings, and the user got them when the VM was written.
    warnings: byOperator ? [] : [...volumes.warnings, ...findIdleFields(object.spec).map(ignoredFieldWarning)],
  };
}

function validateLabel({ metadata }: VirtualMachineInstance, old: VirtualMachineInstance | undefined): FieldError[] {
  const changed = RESERVED_LABELS.filter((label) => metadata.labels?.[label] !== old?.metadata.labels?.[label]);
  return changed.map((label) => reservedError(`metadata.labels[${label}]`, 'label'));
}

function annotationCauses({ object, old }: AdmissionRequest<VirtualMachineInstance>): FieldError[] {
  const [now, before] = [object.metadata.annotations, old?.metadata.annotations];
  const changed = RESERVED_ANNOTATIONS.filter((name) => now?.[name] !== before?.[name]);
  return changed.map((name) => reservedError(`metadata.annotations[${name}]`, 'annotation'));
}

const reservedError = (field: string, what: string) =>
  forbidden(field, `this ${what} is reserved: only the operator may set it on an instance`);
