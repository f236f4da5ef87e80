/** Labels and annotations of launcher pods. Tools for KubeVirt rely on these very names. */

/** Label of every launcher pod, whatever labels its template has. Our own selectors use it. */
export const LAUNCHER_LABEL = 'kubevirt.io';
export const LAUNCHER_LABEL_VALUE = 'virt-launcher';

/** Name of the VM as a label. VMs of two groups may share it. */
export const DOMAIN_LABEL = 'kubevirt.io/domain';
export const NAME_LABEL = 'vm.kubevirt.io/name';
export const VM_LABEL = 'vm';
/** Uid of the instance that a pod runs. */
export const CREATED_BY_LABEL = 'kubevirt.io/created-by';
/** Label of an instance with the node that it runs on, for selectors. */
export const NODE_NAME_LABEL = 'kubevirt.io/nodeName';
/** "true" on nodes whose node agent is alive. Launcher pods require it, and a lost node loses it. */
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable';
/** "true" on a simulated node freezes its node agent, which then sends no heartbeat. */
export const FREEZE_ANNOTATION = 'vimana.io/freeze';
/** Uid of the migration that a target pod was created for. */
export const MIGRATION_LABEL = 'kubevirt.io/migrationJobUID';

/** Fraction of a node that the VM uses, at least 0. A change changes what the node reports. */
export const CPU_CONSUMPTION = 'kubevirt.io/vm-cpu-consumption';
export const MEMORY_CONSUMPTION = 'kubevirt.io/vm-memory-consumption';
export const DOMAIN_ANNOTATION = 'kubevirt.io/domain';

/** Size of machine that the pod is created for. Its resource requests were computed from it. */
export const SIZE_ANNOTATION = 'vimana.io/size';

/** Requested load of a simulated VM. See launcher-load. */
export const LOAD_ANNOTATION = 'vimana.io/load';
/** Time at which the exporter restarted the VM of a pod on another node. Rebalancing leaves it there for a while. */
export const MOVED_AT_ANNOTATION = 'vimana.io/moved-at';
/** Annotation of an instance with the node of its pod, which bypasses the scheduler. */
export const NODE_ANNOTATION = 'vimana.io/node';
/** Annotation of an instance with the name of its pod. A pod that already exists is adopted. */
export const LAUNCHER_ANNOTATION = 'vimana.io/launcher';
/** Deschedulers only request the eviction of a pod with this annotation, and leave the migration to others. */
export const EVICT_ONLY_ANNOTATION = 'descheduler.alpha.kubernetes.io/request-evict-only';

/** Seconds that a guest has to shut down, if its spec does not say. */
export const DEFAULT_GRACE_SECONDS = 30;
export const COMPUTE_CONTAINER = 'compute';
export const DEFAULT_LAUNCHER_IMAGE = 'quay.io/kubevirt/virt-launcher:latest';
