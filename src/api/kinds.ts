import type { Kind } from '#platform/schema/kind';
import { virtualMachine as hypersdkVirtualMachine } from './hypersdk/virtual-machine.ts';
import { vmOperation } from './hypersdk/vm-operation.ts';
import { vmSnapshot } from './hypersdk/vm-snapshot.ts';
import { vmTemplate } from './hypersdk/vm-template.ts';
import { virtualMachine as kubevirtVirtualMachine } from './kubevirt/virtual-machine.ts';
import { virtualMachineInstance } from './kubevirt/virtual-machine-instance.ts';
import { virtualMachineInstanceMigration } from './kubevirt/virtual-machine-instance-migration.ts';
import { virtualMachine as novacronVirtualMachine } from './novacron/virtual-machine.ts';
import { vmNetwork } from './novacron/vm-network.ts';
import { vmPool } from './novacron/vm-pool.ts';
import { vmStorage } from './novacron/vm-storage.ts';
import { simulationScenario } from './simulation/simulation-scenario.ts';
import { virtualMachine as simulationVirtualMachine } from './simulation/virtual-machine.ts';

/** All resource kinds of Vimana. */
export const KINDS: readonly Kind[] = [
  kubevirtVirtualMachine,
  virtualMachineInstance,
  virtualMachineInstanceMigration,
  hypersdkVirtualMachine,
  vmOperation,
  vmTemplate,
  vmSnapshot,
  novacronVirtualMachine,
  vmPool,
  vmNetwork,
  vmStorage,
  simulationVirtualMachine,
  simulationScenario,
];
