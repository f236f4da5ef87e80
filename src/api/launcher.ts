/** What launcher pods carry, by which everybody finds them; tools beside KubeVirt rely on these very names. */

/** On every launcher pod, whatever the labels of its template say; our own selectors use it. */
export const LAUNCHER_LABEL = 'kubevirt.io';
export const LAUNCHER_LABEL_VALUE = 'virt-launcher';

/** The name of the machine, as labels; VMs of two groups may share it. */
export const DOMAIN_LABEL = 'kubevirt.io/domain';
export const NAME_LABEL = 'vm.kubevirt.io/name';
export const VM_LABEL = 'vm';
/** The uid of the instance that a pod runs. */
export const CREATED_BY_LABEL = 'kubevirt.io/created-by';
/** The node that an instance runs on, as a label of it, for selectors. */
export const NODE_NAME_LABEL = 'kubevirt.io/nodeName';
/** "true" on nodes whose agent is alive; launcher pods ask for it. Taken back from a node that is lost. */
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';
/** "true" on a simulated node whose agent does nothing, and gives no sign of life, until it is taken off. */
export const FREEZE_ANNOTATION = 'vimana.io/freeze';
/** The uid of the migration that a target pod was made for. */
export const MIGRATION_LABEL = 'kubevirt.io/migrationJobUID';

/** How much of a node the machine uses, from 0 on; changing them changes what the node reports. */
export const CPU_CONSUMPTION = 'kubevirt.io/vm-cpu-consumption';
export const MEMORY_CONSUMPTION = 'kubevirt.io/vm-memory-consumption';
export const DOMAIN_ANNOTATION = 'kubevirt.io/domain';

/** How large a machine the pod holds the place for, which is what its requests were worked out from. */
export const SIZE_ANNOTATION = 'vimana.io/size';

/** What a simulated machine was last told to use; see launcher-load. */
export const LOAD_ANNOTATION = 'vimana.io/load';
/** On an instance: the node that its pod is put on, past the scheduler. */
export const NODE_ANNOTATION = 'vimana.io/node';
/** On an instance: the name of its pod, which may be there before it and is then taken over. */
export const LAUNCHER_ANNOTATION = 'vimana.io/launcher';
/** Deschedulers ask for the eviction of a pod that has it, and leave the rest to whoever moves the machine. */
export const EVICT_ONLY_ANNOTATION = 'descheduler.alpha.kubernetes.io/request-evict-only';

export const COMPUTE_CONTAINER = 'compute';
export const DEFAULT_LAUNCHER_IMAGE = 'quay.io/kubevirt/virt-launcher:latest';
