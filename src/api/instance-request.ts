/**
 * Requests to the node agent of an instance: annotations of the VirtualMachineInstance, which only the operator may
 * write. Only the node agent acts on the machine.
 */

/**
 * "true" pauses the machine and "false" resumes it; if absent, spec.startStrategy decides. This is a state, so it may
 * be read any number of times.
 */
export const PAUSED_ANNOTATION = 'vimana.io/paused';
/** Condition Paused of a VM that cannot write to its disk, with the reason of KubeVirt. */
export const PAUSED_BY_FULL_DISK = {
  reason: 'PausedIOError',
  message: 'the disk of the host is full: the VM resumes when there is room again',
} as const;
/** Reason and message of the instance's conditions while it is paused by this annotation. */
export const PAUSED_BY_USER = { reason: 'PausedByUser', message: 'VMI was paused by user' } as const;

/**
 * Requests for actions, each with a unique value. The node agent removes the annotation before it acts, so that it acts
 * at most once.
 */
export const RESET_ANNOTATION = 'vimana.io/reset';
export const SOFT_REBOOT_ANNOTATION = 'vimana.io/soft-reboot';

/** "false" disables live migration of the machine, whatever it supports. */
export const LIVE_MIGRATION_ANNOTATION = 'vimana.io/live-migration';

/** MAC and IP addresses that the VM keeps, as JSON: `{"<interface>": {"mac": "...", "ip": "..."}}`. */
export const IDENTITY_ANNOTATION = 'vimana.io/identity';

/** Generation of the VirtualMachine that an instance was created from. */
export const GENERATION_ANNOTATION = 'kubevirt.io/vm-generation';
/** Other sources of an instance: the VirtualMachine's template, and its state. */
export const BASIS_ANNOTATION = 'vimana.io/made-from';

/** Finalizer that holds an instance until its machine has ended and its pods are deleted. */
export const INSTANCE_FINALIZER = 'foregroundDeleteVirtualMachine';
/** Finalizer that holds a VirtualMachine until its instance is deleted or orphaned. */
export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize';
