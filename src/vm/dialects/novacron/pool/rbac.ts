import { virtualMachine } from '#api/novacron/virtual-machine';
import { vmPool } from '#api/novacron/vm-pool';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';

const { group, plural } = vmPool;

/** Permissions of the pool controller, including the watches it needs. */
export const POOL_RULES: readonly PolicyRule[] = [
  { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [group], resources: [`${plural}/status`], verbs: ['update', OPERATE] },
  // OwnerReferencesPermissionEnforcement requires this to set blockOwnerDeletion.
  { apiGroups: [group], resources: [`${plural}/finalizers`], verbs: ['update'] },
  { apiGroups: [group], resources: [virtualMachine.plural], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  {
    apiGroups: ['apps'],
    resources: ['controllerrevisions'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  // Scaling by metrics: what was recommended and the demand are remembered, and custom metrics are read.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update'] },
  { apiGroups: ['custom.metrics.k8s.io', 'external.metrics.k8s.io'], resources: ['*'], verbs: ['get', 'list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];
