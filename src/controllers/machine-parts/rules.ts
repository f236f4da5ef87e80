import { virtualMachine } from '../../api/hypersdk/virtual-machine.ts';
import { vmOperation } from '../../api/hypersdk/vm-operation.ts';
import { vmSnapshot } from '../../api/hypersdk/vm-snapshot.ts';
import { vmTemplate } from '../../api/hypersdk/vm-template.ts';
import type { PolicyRule } from '../../kube/kinds/rbac.ts';

const read = ['list', 'watch'];

/** What it takes to give machines their claims and Services. */
export const MACHINE_PARTS_RULES: readonly PolicyRule[] = [
  {
    apiGroups: [virtualMachine.group],
    resources: [virtualMachine.plural, vmTemplate.plural, vmSnapshot.plural, vmOperation.plural],
    verbs: read,
  },
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...read, 'create', 'update'] },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: read },
  { apiGroups: [''], resources: ['services'], verbs: [...read, 'create'] },
];
