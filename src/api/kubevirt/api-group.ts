import type { ApiGroup } from '../api-group.ts';
import { virtualMachine } from './virtual-machine.ts';
import { virtualMachineInstance } from './virtual-machine-instance.ts';
import { virtualMachineInstanceMigration } from './virtual-machine-instance-migration.ts';

export const kubevirtGroup: ApiGroup = {
  kinds: [virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration],
};
