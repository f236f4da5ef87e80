import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { TOKEN_REVIEW_RULES } from '#platform/runtime/http/token-review';

/** What an exporter may do: follow nodes and pods, make and delete simulated machines, and stop those that are to move. */
export const EXPORTER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  {
    apiGroups: ['simulation.node-classifier.io'],
    resources: ['virtualmachines'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: ['simulation.node-classifier.io'], resources: ['virtualmachines/status'], verbs: ['update', OPERATE] },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['delete'] },
];

/** What it may do besides where it accepts tokens of the cluster: ask whose a token is, and what that user may do. */
export const CLUSTER_EXPORTER_RULES: readonly PolicyRule[] = [...EXPORTER_RULES, ...TOKEN_REVIEW_RULES];
