/** Kinds of the group and the types of their objects, as users of the library import them. */
export { RUN_STRATEGIES, type RunStrategy } from './run-strategy.ts';
export { type VirtualMachine, type VirtualMachineInput, virtualMachine } from './virtual-machine.ts';
export {
  type VirtualMachineInstance,
  type VirtualMachineInstanceInput,
  virtualMachineInstance,
} from './virtual-machine-instance.ts';
export {
  MIGRATION_PHASES,
  type MigrationPhase,
  type VirtualMachineInstanceMigration,
  type VirtualMachineInstanceMigrationInput,
  virtualMachineInstanceMigration,
} from './virtual-machine-instance-migration.ts';
export { INSTANCE_PHASES, type InstancePhase } from './virtual-machine-instance-status.ts';
export { PRINTABLE_STATUSES, type PrintableStatus } from './virtual-machine-status.ts';
