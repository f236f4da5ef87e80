/** Annotations by which operations on machines leave word, for the parts that act and for whoever takes over. */

/** On a VirtualMachine: the value of the label kubernetes.io/hostname of the node that its next instance is to start on. */
export const START_ON = 'vimana.io/start-on';
/** On a VirtualMachine: the same of the node that its next instance is not to start on. */
export const START_AWAY_FROM = 'vimana.io/start-away-from';

/**
 * On a VirtualMachine: it does not wait for clean electricity while this is its generation, so that another start, after
 * it was stopped, may.
 */
export const START_NOW = 'vimana.io/start-now';

/** On what an operation has made: `namespace/name` of the VMOperation, and its uid. */
export const OPERATION = 'vimana.io/operation';
export const OPERATION_UID = 'vimana.io/operation-uid';

/**
 * On a VirtualMachineInstanceMigration: how it is carried out, as JSON in the words of KubeVirt's migrationConfiguration.
 * On a VirtualMachineInstance: what holds for all of its migrations that do not say otherwise, and the most that they may.
 */
export const MIGRATION_CONFIGURATION = 'vimana.io/migration-configuration';

/** Holds an operation until the machine is as it should be, which may be stopped meanwhile. */
export const OPERATION_FINALIZER = 'vimana.io/operation';
