import { CLAIM_WORDS } from '#api/hypersdk/claims';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { isFor, templateDenial } from '#api/hypersdk/template-use';
import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import { vmTemplate } from '#api/hypersdk/vm-template';
import { VM_FINALIZER } from '#api/instance-request';
import { type FieldError, tooLong } from '#platform/base/field-error';
import type { AdmissionRequest, Admitter } from '#vm/admission/admitter';
import { isLess } from '#vm/admission/amounts';
import { changesSpec } from '#vm/admission/changes-spec';
import { validateGrowth } from '#vm/admission/disk-growth';
import { imageChangeWarnings } from '#vm/admission/image-change';
import { foreignAnnotations, validateOwnAnnotations } from '#vm/admission/own-annotations';
import { sizedDisks } from './disks.ts';
import { networkWarnings } from './networks.ts';
import { validateVmSpec } from './vm-spec.ts';

/** The VM name becomes a label value of its pod. */
const MAX_NAME = 63;

export const virtualMachineAdmitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  finalizer: VM_FINALIZER,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object, old } = request;
    const [given, before] = [object.metadata.annotations, old?.metadata.annotations];
    const words = [CLAIM_WORDS, 'metadata.annotations', given, before] as const;
    return {
      causes: [
        ...(operation === 'CREATE' ? validateName(object.metadata.name) : []),
        ...validateOwnAnnotations(...words),
        ...validateVmSpec('spec', object.spec, old?.spec),
        ...validateGrowth(sizedDisks('spec.disks', object.spec.disks), old?.spec.disks, old?.status?.smallDisks),
      ],
      warnings: [
        ...networkWarnings('spec.networks', object.spec.networks),
        ...imageWarnings(object.spec),
        ...imageChangeWarnings('spec.image.source', object.spec.image?.source, old?.spec.image?.source),
        ...foreignAnnotations(...words),
        ...deviceWarnings(object.spec),
        ...templateWarnings(request),
      ],
    };
  },
};

/** Validates the name. With generateName it may be missing, and the generated one is never too long. */
function validateName(name: string | undefined): FieldError[] {
  return name !== undefined && name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}

function imageWarnings({ image, disks = [] }: VirtualMachine['spec']): string[] {
  const fromTemplate = image?.templateRef !== undefined;
  const warnings = [];
  if (fromTemplate && image.checksum !== undefined) {
    warnings.push('spec.image.checksum is ignored: the checksum of the template is used');
  }
  if (!fromTemplate && image?.source === undefined && disks.every(({ source }) => source === undefined)) {
    warnings.push('spec has neither an image nor a disk with a source: the VM has nothing to boot from');
  }
  return warnings;
}

/** Returns warnings for devices that cannot be requested from any node. The VM waits rather than run without them. */
function deviceWarnings({ gpus = [], usbDevices = [] }: VirtualMachine['spec']): string[] {
  return [
    ...gpus.flatMap(({ resourceName, deviceName, vendor }, i) =>
      (resourceName ?? vendor) === undefined && deviceName?.includes('/') !== true
        ? [`spec.gpus[${i}] has neither resourceName nor vendor: the VM will not start`]
        : [],
    ),
    ...usbDevices.flatMap(({ resourceName }, i) =>
      resourceName === undefined
        ? [`spec.usbDevices[${i}] is identified by IDs, which is not supported yet: the VM will not start`]
        : [],
    ),
  ];
}

/** Returns warnings for recommendations of the template that the VM does not meet. A missing template has none. */
function templateWarnings({ object: { spec, metadata }, lookup }: AdmissionRequest<VirtualMachine>): string[] {
  const { name = '', namespace } = spec.image?.templateRef ?? {};
  const template = name === '' ? undefined : lookup(vmTemplate, namespace || metadata.namespace, name);
  if (template === undefined) return [];
  if (!isFor(template, metadata.namespace)) {
    return [templateDenial(metadata.namespace, `${template.metadata.namespace}/${name}`)];
  }
  const { minCpus, minMemory, minDiskSize } = template.spec.recommendedResources ?? {};
  const [first] = withTemplateDefaults(spec, template.spec).disks ?? [];
  const found = [
    { field: 'spec.cpus', value: spec.cpus, least: minCpus },
    { field: 'spec.memory', value: spec.memory, least: minMemory },
    { field: `size of disk ${first?.name}`, value: first?.size, least: minDiskSize },
  ];
  return found
    .filter(({ value, least: min }) => isLess(value, min))
    .map(({ field, value, least: min }) => `${field} (${value}) is less than template ${name} recommends (${min})`);
}
