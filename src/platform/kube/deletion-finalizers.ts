/** Finalizers of Kubernetes that hold a deleted object until its dependents are deleted, or orphaned. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
