import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

/** Permissions of the template controller, including the watches it needs. */
export const TEMPLATE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['hypersdk.io'], resources: ['vmtemplates'], verbs: ['list', 'watch', 'update'] },
  { apiGroups: ['hypersdk.io'], resources: ['vmtemplates/status'], verbs: ['update', OPERATE] },
  { apiGroups: ['hypersdk.io'], resources: ['virtualmachines'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
