import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

const GROUP = 'simulation.node-classifier.io';

/** Permissions to run scenarios: create, load, migrate and delete simulated VMs, and fail and remove nodes. */
export const SCENARIO_RULES: readonly PolicyRule[] = [
  { apiGroups: [GROUP], resources: ['simulationscenarios'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [GROUP], resources: ['simulationscenarios/status'], verbs: ['update', OPERATE] },
  { apiGroups: [GROUP], resources: ['virtualmachines'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get', 'delete'] },
];
