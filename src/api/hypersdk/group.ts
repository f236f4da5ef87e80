/** Kinds of the group and the types of their objects, as users of the library import them. */
export { type VirtualMachine, type VirtualMachineInput, virtualMachine } from './virtual-machine.ts';
export { type VMOperation, type VMOperationInput, vmOperation } from './vm-operation.ts';
export { type VMSnapshot, type VMSnapshotInput, vmSnapshot } from './vm-snapshot.ts';
export { type VMTemplate, type VMTemplateInput, vmTemplate } from './vm-template.ts';
