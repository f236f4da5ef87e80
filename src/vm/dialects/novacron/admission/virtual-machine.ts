import { VM_FINALIZER } from '#api/instance-request';
import { CLAIM_WORDS } from '#api/novacron/claims';
import { POD_NETWORK } from '#api/novacron/network-interface';
import { type VirtualMachine, virtualMachine } from '#api/novacron/virtual-machine';
import { type FieldError, tooLong } from '#platform/base/field-error';
import type { Admitter } from '#vm/admission/admitter';
import { changesSpec } from '#vm/admission/changes-spec';
import { imageChangeWarnings } from '#vm/admission/image-change';
import { foreignAnnotations, validateOwnAnnotations } from '#vm/admission/own-annotations';
import { validateCountOrPercent } from './count-or-percent.ts';
import { validateDiskChange, validateRootName } from './disks.ts';
import type { FindNetwork } from './interfaces.ts';
import { networkFinder } from './network-finder.ts';
import { validateSchedule } from './schedule.ts';
import { unsupportedWarnings } from './unsupported-warnings.ts';
import { templateWarnings, type VmTemplate, validateTemplate } from './vm-template.ts';

/** The VM name becomes a label value of its pod. */
const MAX_NAME = 63;

export const virtualMachineAdmitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  finalizer: VM_FINALIZER,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object, old } = request;
    const { metadata, spec } = object;
    const before = old?.spec.template;
    const words = [CLAIM_WORDS, 'metadata.annotations', metadata.annotations, old?.metadata.annotations] as const;
    const find = networkFinder(request);
    return {
      causes: [
        ...(operation === 'CREATE' ? validateName(metadata.name) : []),
        ...validateOwnAnnotations(...words),
        ...validateTemplate('spec.template', spec.template, { image: 'required', find, before }),
        ...validateRootName(spec.template, before),
        ...(old === undefined ? [] : validateDiskChange(object, old)),
        ...validateSchedule('spec.snapshotPolicy.schedule', spec.snapshotPolicy?.schedule),
        ...validateCountOrPercent(
          'spec.updateStrategy.rollingUpdate.maxUnavailable',
          spec.updateStrategy.rollingUpdate?.maxUnavailable,
        ),
      ],
      warnings: [
        ...unsupportedWarnings(object, old),
        ...templateWarnings('spec.template', spec.template),
        ...imageChangeWarnings(
          'spec.template.spec.image.source',
          spec.template?.spec?.image?.source,
          before?.spec?.image?.source,
        ),
        ...foreignAnnotations(...words),
        ...updateWarnings(spec.updateStrategy),
        ...networkWarnings(spec.template, find),
      ],
    };
  },
};

function validateName(name = ''): FieldError[] {
  return name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}

function updateWarnings({ type, rollingUpdate }: VirtualMachine['spec']['updateStrategy']): string[] {
  if (type === 'RollingUpdate' && rollingUpdate === undefined) return [];
  return [
    'spec.updateStrategy is not supported yet: changes that cannot be applied to a running VM take effect at its next start, and are reported by condition RestartRequired',
  ];
}

function networkWarnings(template: VmTemplate | undefined, find: FindNetwork): string[] {
  return (template?.spec?.networks ?? []).flatMap(({ name = '' }, i) => {
    if (find(name) === undefined) return [];
    const instead = name === POD_NETWORK ? 'the pod network' : `the NetworkAttachmentDefinition ${name}`;
    return [`spec.template.spec.networks[${i}]: VMNetwork ${name} is not supported yet; ${instead} is used`];
  });
}
