import { OPERATE } from '../../api/operate-verb.ts';
import type { PolicyRule } from '../../kube/kinds/rbac.ts';

/** What the controller of templates may do; watching what it reads included. */
export const TEMPLATE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['hypersdk.io'], resources: ['vmtemplates'], verbs: ['list', 'watch', 'update'] },
  { apiGroups: ['hypersdk.io'], resources: ['vmtemplates/status'], verbs: ['update', OPERATE] },
  { apiGroups: ['hypersdk.io'], resources: ['virtualmachines'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
