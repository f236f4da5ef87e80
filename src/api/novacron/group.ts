/** Kinds of the group and the types of their objects, as users of the library import them. */
export { type VirtualMachine, type VirtualMachineInput, virtualMachine } from './virtual-machine.ts';
export { type VMNetwork, vmNetwork } from './vm-network.ts';
export { type VMPool, type VMPoolInput, vmPool } from './vm-pool.ts';
export { type VMStorage, vmStorage } from './vm-storage.ts';
