import type { DialectRegistration } from '../registration.ts';
import { virtualMachineAdmitter } from './admission/virtual-machine.ts';
import { virtualMachineInstanceAdmitter } from './admission/virtual-machine-instance.ts';
import { virtualMachineInstanceMigrationAdmitter } from './admission/virtual-machine-instance-migration.ts';
import { kubevirt } from './dialect.ts';

export const kubevirtRegistration: DialectRegistration = {
  dialect: kubevirt,
  admitters: [virtualMachineAdmitter, virtualMachineInstanceAdmitter, virtualMachineInstanceMigrationAdmitter],
  example: 'examples/kubevirt/vm-running.yaml',
};
