import { type VirtualMachine, virtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { type FieldError, tooLong } from '../../base/field-error.ts';
import type { Admitter } from '../admitter.ts';
import { changesSpec } from '../changes-spec.ts';
import { checkGrowth } from './disks.ts';
import { checkMachineSpec } from './machine-spec.ts';
import { networkWarnings } from './networks.ts';

/** The machine's name is the value of a label on its pod. */
const MAX_NAME = 63;

export const virtualMachineAdmitter: Admitter<typeof virtualMachine> = {
  kind: virtualMachine,
  validate(request) {
    if (!changesSpec(request)) return { causes: [], warnings: [] };
    const { operation, object, old } = request;
    return {
      causes: [
        ...(operation === 'CREATE' ? checkName(object.metadata.name) : []),
        ...checkMachineSpec('spec', object.spec),
        ...checkGrowth('spec.disks', object.spec.disks, old?.spec.disks),
      ],
      warnings: [...networkWarnings('spec.networks', object.spec.networks), ...imageWarnings(object.spec)],
    };
  },
};

/** With generateName there may be no name yet, and the one to come is never too long. */
function checkName(name: string | undefined): FieldError[] {
  return name !== undefined && name.length > MAX_NAME ? [tooLong('metadata.name', MAX_NAME)] : [];
}

function imageWarnings({ image, disks = [] }: VirtualMachine['spec']): string[] {
  const fromTemplate = image?.templateRef !== undefined;
  const warnings = [];
  if (fromTemplate && image.checksum !== undefined) {
    warnings.push('spec.image.checksum is ignored: the checksum of the template counts');
  }
  if (!fromTemplate && image?.source === undefined && disks.every(({ source }) => source === undefined)) {
    warnings.push('spec has neither an image nor a disk with a source: the machine has nothing to boot from');
  }
  return warnings;
}
