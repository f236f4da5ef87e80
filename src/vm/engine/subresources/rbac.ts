import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

const kubevirt = (resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups: ['kubevirt.io'],
  resources,
  verbs,
});

/** Permissions of the component that serves the subresources. */
export const SUBRESOURCE_RULES: readonly PolicyRule[] = [
  kubevirt(['virtualmachines'], ['get', 'patch']),
  kubevirt(['virtualmachineinstances'], ['get', 'patch', OPERATE]),
  kubevirt(['virtualmachines/status'], ['patch', OPERATE]),
  kubevirt(['virtualmachineinstancemigrations'], ['list', 'create']),
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
