/**
 * How anybody asks the node agent of an instance for something: annotations of the VirtualMachineInstance, which only
 * the operator may write. The agent alone touches the machine.
 */

/**
 * "true" while the machine is to stand still, "false" once it is to go on; absent: as spec.startStrategy says. A state,
 * not a deed: it may be read any number of times.
 */
export const PAUSED_ANNOTATION = 'vimana.io/paused';
/** What the conditions of an instance say while it stands still because of it. */
export const PAUSED_BY_USER = { reason: 'PausedByUser', message: 'VMI was paused by user' } as const;

/** Deeds, each with an identity of its own as value. The agent takes the annotation off before it acts: at most once. */
export const RESET_ANNOTATION = 'vimana.io/reset';
export const SOFT_REBOOT_ANNOTATION = 'vimana.io/soft-reboot';

/** "false": the machine is not moved while it runs, whatever it could do. */
export const LIVE_MIGRATION_ANNOTATION = 'vimana.io/live-migration';

/** Hardware and network addresses that the machine keeps: JSON, `{"<interface>": {"mac": "...", "ip": "..."}}`. */
export const IDENTITY_ANNOTATION = 'vimana.io/identity';

/** Which generation of the VirtualMachine an instance was made from. */
export const GENERATION_ANNOTATION = 'kubevirt.io/vm-generation';
/** What else an instance was made from: the template of the VirtualMachine, in which state. */
export const BASIS_ANNOTATION = 'vimana.io/made-from';

/** Holds an instance until its machine has ended and its pods are gone. */
export const INSTANCE_FINALIZER = 'foregroundDeleteVirtualMachine';
/** Holds a VirtualMachine until its instance is gone, or let go. */
export const MACHINE_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize';
