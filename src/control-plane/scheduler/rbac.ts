import type { PolicyRule } from '#platform/kube/kinds/rbac';

const READ = ['get', 'list', 'watch'];

/** Permissions of the scheduler: it reads what placement depends on, binds pods, and reports the outcome. */
export const SCHEDULER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes', 'namespaces', 'services', 'replicationcontrollers'], verbs: READ },
  { apiGroups: [''], resources: ['persistentvolumes', 'persistentvolumeclaims'], verbs: [...READ, 'update', 'patch'] },
  { apiGroups: ['apps'], resources: ['replicasets', 'statefulsets'], verbs: READ },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: READ },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses', 'csinodes'], verbs: READ },
  // Preemption needs to delete pods.
  { apiGroups: [''], resources: ['pods'], verbs: [...READ, 'delete'] },
  { apiGroups: [''], resources: ['pods/binding'], verbs: ['create'] },
  { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
