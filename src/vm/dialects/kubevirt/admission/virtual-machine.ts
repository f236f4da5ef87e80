import { VM_FINALIZER } from '#api/instance-request';
import { type VirtualMachine, virtualMachine } from '#api/kubevirt/virtual-machine';
import { type FieldError, fieldErrorBody, forbidden, invalid } from '#platform/base/field-error';
import type { AdmissionRequest, AdmissionResult, Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { annotations, labels } from '#vm/admission/names';
import { missingVolumes, unusedVolumes } from './disk-volumes.ts';
import { ignoredFields, ignoredFieldWarning } from './ignored-fields.ts';
import { validateInstanceSpec } from './instance-spec.ts';
import { memoryMissing } from './resources.ts';
import { tinyDiskWarnings } from './volumes.ts';

/** The VM name becomes a label value of its pod. */
const MAX_NAME_LENGTH = 63;

/** Fields whose omission would result in a different VM, and the alternatives to use. */
const REFUSED: Readonly<Record<string, string>> = {
  instancetype: 'instance types are not supported yet: set cpu and memory in spec.template.spec.domain',
  preference: 'preferences are not supported yet: set the devices in spec.template.spec.domain',
  dataVolumeTemplates:
    'data volumes are not supported yet: create the PersistentVolumeClaim and reference it in spec.template.spec.volumes',
};

/** KubeVirt's warning. */
const RUNNING_DEPRECATED = 'spec.running is deprecated, please use spec.runStrategy instead.';

const TEMPLATE = 'spec.template.spec';
const spec = virtualMachine.schema.properties?.['spec'] ?? {};
const findIdleFields = ignoredFields(spec, 'spec', Object.keys(REFUSED));

export const virtualMachineAdmitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  finalizer: VM_FINALIZER,
  validate(request) {
    return changesSpec(request) ? verdictOn(request) : { causes: [], warnings: [] };
  },
};

function verdictOn({ operation, object, old }: AdmissionRequest<VirtualMachine>): AdmissionResult {
  const { template } = object.spec;
  const oldVersion = (object.apiVersion as string) !== virtualMachine.apiVersion;
  const volumes = missingVolumes(template.spec, TEMPLATE, { old: old?.spec.template.spec, oldVersion });
  const causes = [
    ...(operation === 'CREATE' ? validateName(object.metadata.name) : []),
    ...validateRefused(object.spec),
    ...labels('spec.template.metadata.labels', template.metadata?.labels),
    ...annotations('spec.template.metadata.annotations', template.metadata?.annotations),
    ...validateInstanceSpec(template.spec, TEMPLATE, { anySize: false }),
    ...volumes.causes,
  ];
  // KubeVirt accepts both, because the template of a stopped VM may be incomplete.
  const unfinished = [memoryMissing(template.spec, TEMPLATE), ...unusedVolumes(template.spec, TEMPLATE)];
  const warnings = [
    ...(object.spec.running === undefined ? [] : [RUNNING_DEPRECATED]),
    ...volumes.warnings,
    ...unfinished.flatMap((problem) => (problem === undefined ? [] : [`${problem.field}: ${fieldErrorBody(problem)}`])),
    ...tinyDiskWarnings(template.spec, TEMPLATE),
    ...findIdleFields(object.spec).map(ignoredFieldWarning),
  ];
  return { causes, warnings };
}

function validateName(name: string | undefined): FieldError[] {
  if (name === undefined || name.length <= MAX_NAME_LENGTH) return [];
  return [invalid('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`)];
}

function validateRefused(spec: VirtualMachine['spec']): FieldError[] {
  return Object.entries(REFUSED).flatMap(([field, detail]) => {
    const value: unknown = Reflect.get(spec, field);
    const empty = value === undefined || (Array.isArray(value) && value.length === 0);
    return empty ? [] : [forbidden(`spec.${field}`, detail)];
  });
}
