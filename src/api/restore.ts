/**
 * Annotations of nodes by which a cluster that was restored from a backup finds out what really runs. `vimana restore`
 * marks every node with the first; its agent answers with the second, and takes both away when it is done.
 */
export const NODE_RESTORE_ANNOTATION = 'vimana.io/restore';
export const RESTORE_LISTING_ANNOTATION = 'vimana.io/restore-machines';

/** What the second one says: which restore it answers to, and the machines of the node as `namespace/name`. */
export interface RestoreListing {
  readonly restore: string;
  readonly machines: readonly string[];
}
