import type { PolicyRule } from '../kube/kinds/rbac.ts';

/** What an exporter may do: follow nodes and pods, make and delete simulated machines, and stop those that are to move. */
export const EXPORTER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  {
    apiGroups: ['simulation.node-classifier.io'],
    resources: ['virtualmachines'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: ['simulation.node-classifier.io'], resources: ['virtualmachines/status'], verbs: ['update'] },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['delete'] },
];
