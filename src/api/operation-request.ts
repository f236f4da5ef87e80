/** Annotations by which operations on VMs leave requests to controllers and to their successors. */

/** Annotation of a VirtualMachine: kubernetes.io/hostname of the node that its next instance must start on. */
export const START_ON = 'vimana.io/start-on';
/** Annotation of a VirtualMachine: kubernetes.io/hostname of the node that its next instance must not start on. */
export const START_AWAY_FROM = 'vimana.io/start-away-from';

/**
 * Annotation of a VirtualMachine: the generation at which it does not wait for clean electricity. A later start, after
 * a stop, may wait again.
 */
export const START_NOW = 'vimana.io/start-now';

/** Annotation of an object that an operation created: `namespace/name` of the VMOperation, and its uid. */
export const OPERATION = 'vimana.io/operation';
export const OPERATION_UID = 'vimana.io/operation-uid';

/**
 * Annotation with JSON in the form of KubeVirt's migrationConfiguration. A VirtualMachineInstanceMigration uses it for
 * itself. On a VirtualMachineInstance it is the default for all of its migrations, and their limit.
 */
export const MIGRATION_CONFIGURATION = 'vimana.io/migration-configuration';

/** Finalizer that holds an operation until the VM, which may be stopped meanwhile, is in its final state. */
export const OPERATION_FINALIZER = 'vimana.io/operation';
