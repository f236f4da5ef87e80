import type { PolicyRule } from '../../kube/kinds/rbac.ts';

const kubevirt = (resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups: ['kubevirt.io'],
  resources,
  verbs,
});

/** What whoever serves the subresources may do itself. */
export const SUBRESOURCE_RULES: readonly PolicyRule[] = [
  kubevirt(['virtualmachines', 'virtualmachineinstances'], ['get', 'patch']),
  kubevirt(['virtualmachines/status'], ['patch']),
  kubevirt(['virtualmachineinstancemigrations'], ['list', 'create']),
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
