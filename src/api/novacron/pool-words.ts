/** Label of the VMs of a pool, their pods and revisions, with the name of the pool. Templates may not set it. */
export const POOL_LABEL = 'novacron.io/pool';
/** Annotation of a VM with a number: of equal VMs, the one with the lowest is deleted first. */
export const DELETION_COST_ANNOTATION = 'novacron.io/deletion-cost';
/** Returns the ConfigMap in which the autoscaler of a pool remembers its recommendations and the demand. */
export const historyName = (pool: string): string => `${pool}-history`;

/** Annotation of a template with the time at which a user asked for the replacement of all VMs. */
export const RESTARTED_AT_ANNOTATION = 'novacron.io/restartedAt';
