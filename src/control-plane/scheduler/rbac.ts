import type { PolicyRule } from '#platform/kube/kinds/rbac';

const READ = ['get', 'list', 'watch'];

/** What the scheduler may do: read what placement looks at, give pods their nodes, and say what became of them. */
export const SCHEDULER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes', 'namespaces', 'services', 'replicationcontrollers'], verbs: READ },
  { apiGroups: [''], resources: ['persistentvolumes', 'persistentvolumeclaims'], verbs: [...READ, 'update', 'patch'] },
  { apiGroups: ['apps'], resources: ['replicasets', 'statefulsets'], verbs: READ },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: READ },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses', 'csinodes'], verbs: READ },
  // Deleting is for preemption.
  { apiGroups: [''], resources: ['pods'], verbs: [...READ, 'delete'] },
  { apiGroups: [''], resources: ['pods/binding'], verbs: ['create'] },
  { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
