import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { TOKEN_REVIEW_RULES } from '#platform/runtime/rbac';

/**
 * Permissions of an exporter: watch nodes, pods and disruption budgets, create and delete simulated VMs, and stop or
 * migrate those that move.
 */
export const EXPORTER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  {
    apiGroups: ['simulation.node-classifier.io'],
    resources: ['virtualmachines'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: ['simulation.node-classifier.io'], resources: ['virtualmachines/status'], verbs: ['update', OPERATE] },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get', 'delete'] },
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachineinstancemigrations'],
    verbs: ['list', 'watch', 'create', 'delete'],
  },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list', 'watch'] },
];

/**
 * Additional permissions of an exporter that accepts tokens of the cluster: review tokens and the permissions of their
 * users.
 */
export const CLUSTER_EXPORTER_RULES: readonly PolicyRule[] = [...EXPORTER_RULES, ...TOKEN_REVIEW_RULES];
