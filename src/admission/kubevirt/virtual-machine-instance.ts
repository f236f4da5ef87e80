import { isDeepStrictEqual } from 'node:util';
import { type VirtualMachineInstance, virtualMachineInstance } from '../../api/kubevirt/virtual-machine-instance.ts';
import { type FieldError, forbidden } from '../../base/field-error.ts';
import type { AdmissionRequest, Admitter, Verdict } from '../admitter.ts';
import { changesSpec } from '../changes-spec.ts';
import { missingVolumes, unusedVolumes } from './disk-volumes.ts';
import { idleFields, idleWarning } from './idle-fields.ts';
import { instanceSpecCauses } from './instance-spec.ts';
import { memoryMissing } from './resources.ts';

export interface InstanceSettings {
  /** Name of the user that the operator writes as: nobody else may change an instance. */
  readonly operatorUser: string;
}

/** Labels by which controllers find their instances; a user's would lead them astray. */
const RESERVED_LABELS = [
  'kubevirt.io/created-by',
  'kubevirt.io/migrationJobUID',
  'kubevirt.io/nodeName',
  'kubevirt.io/migrationTargetNodeName',
  'kubevirt.io/schedulable',
  'kubevirt.io/install-strategy',
];

const findIdleFields = idleFields(virtualMachineInstance.schema.properties?.['spec'] ?? {}, 'spec');

export function virtualMachineInstanceAdmitter({
  operatorUser,
}: InstanceSettings): Admitter<typeof virtualMachineInstance> {
  return {
    kind: virtualMachineInstance,
    validate(request) {
      if (!changesSpec(request)) return { causes: [], warnings: [] };
      return verdictOn(request, request.user.name === operatorUser);
    },
  };
}

function verdictOn(request: AdmissionRequest<VirtualMachineInstance>, byOperator: boolean): Verdict {
  const { object, old } = request;
  if (old !== undefined && isDeepStrictEqual(old.spec, object.spec)) {
    return { causes: byOperator ? [] : labelCauses(object, old), warnings: [] };
  }
  if (old !== undefined && !byOperator) {
    const detail = 'update of VMI object is restricted: change the VirtualMachine that it belongs to';
    return { causes: [forbidden('spec', detail), ...labelCauses(object, old)], warnings: [] };
  }
  const oldVersion = (object.apiVersion as string) !== virtualMachineInstance.apiVersion;
  const volumes = missingVolumes(object.spec, 'spec', { old: old?.spec, oldVersion });
  const noMemory = memoryMissing(object.spec, 'spec');
  return {
    causes: [
      ...(byOperator ? [] : labelCauses(object, old)),
      ...(noMemory === undefined ? [] : [noMemory]),
      ...instanceSpecCauses(object.spec, 'spec', { anySize: byOperator }),
      ...volumes.causes,
      ...unusedVolumes(object.spec, 'spec'),
    ],
    // The operator has nobody to show them to; the user saw them when the machine was written.
    warnings: byOperator ? [] : [...volumes.warnings, ...findIdleFields(object.spec).map(idleWarning)],
  };
}

function labelCauses({ metadata }: VirtualMachineInstance, old: VirtualMachineInstance | undefined): FieldError[] {
  const changed = RESERVED_LABELS.filter((label) => metadata.labels?.[label] !== old?.metadata.labels?.[label]);
  if (changed.length === 0) return [];
  return changed.map((label) =>
    forbidden(`metadata.labels[${label}]`, 'this label is reserved: only the operator may set it on an instance'),
  );
}
