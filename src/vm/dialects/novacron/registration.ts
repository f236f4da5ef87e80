import { vmNetwork } from '#api/novacron/vm-network';
import { vmPool } from '#api/novacron/vm-pool';
import type { DialectRegistration } from '../registration.ts';
import { virtualMachineAdmitter } from './admission/virtual-machine.ts';
import { vmNetworkAdmitter } from './admission/vm-network.ts';
import { vmPoolAdmitter } from './admission/vm-pool.ts';
import { vmStorageAdmitter } from './admission/vm-storage.ts';
import { novacron } from './dialect.ts';
import { mediaOf, newVmSpec } from './new-vm-spec.ts';

export const novacronRegistration: DialectRegistration = {
  dialect: novacron,
  admitters: [virtualMachineAdmitter, vmPoolAdmitter, vmNetworkAdmitter, vmStorageAdmitter],
  lookups: [vmNetwork, vmPool],
  newVmSpec,
  mediaOf,
  example: 'examples/novacron/vm-minimal.yaml',
};
