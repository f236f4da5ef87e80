/** By which Kubernetes itself holds an object that is being deleted: until its dependents are gone, or are let go. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';
