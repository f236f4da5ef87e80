import { vmTemplate } from '#api/hypersdk/vm-template';
import type { DialectRegistration } from '../registration.ts';
import { virtualMachineAdmitter } from './admission/virtual-machine.ts';
import { vmOperationAdmitter } from './admission/vm-operation.ts';
import { vmSnapshotAdmitter } from './admission/vm-snapshot.ts';
import { vmTemplateAdmitter } from './admission/vm-template.ts';
import { hypersdk } from './dialect.ts';
import { mediaOf, NEW_VM_EXTRAS, newVmSpec } from './new-vm-spec.ts';

export const hypersdkRegistration: DialectRegistration = {
  dialect: hypersdk,
  admitters: [virtualMachineAdmitter, vmOperationAdmitter, vmTemplateAdmitter, vmSnapshotAdmitter],
  lookups: [vmTemplate],
  newVmSpec,
  newVmExtras: NEW_VM_EXTRAS,
  mediaOf,
  example: 'examples/hypersdk/vm-from-image.yaml',
};
