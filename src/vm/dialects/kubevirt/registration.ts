import type { DialectRegistration } from '../registration.ts';
import { virtualMachineAdmitter } from './admission/virtual-machine.ts';
import { virtualMachineInstanceAdmitter } from './admission/virtual-machine-instance.ts';
import { virtualMachineInstanceMigrationAdmitter } from './admission/virtual-machine-instance-migration.ts';
import { kubevirt } from './dialect.ts';
import { newVmSpec } from './new-vm-spec.ts';

export const kubevirtRegistration: DialectRegistration = {
  dialect: kubevirt,
  admitters: [virtualMachineAdmitter, virtualMachineInstanceAdmitter, virtualMachineInstanceMigrationAdmitter],
  newVmSpec,
  example: 'examples/kubevirt/vm-running.yaml',
};
