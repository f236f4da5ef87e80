import { virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration } from '#api/kubevirt/group';
import type { ClusterRole, PolicyRule } from '#platform/kube/kinds/rbac';
import { CLUSTER_RESOURCES, NOT_IMPLEMENTED, SERVED, SUBRESOURCES_GROUP } from './resources.ts';

const PLURALS = [virtualMachine, virtualMachineInstance, virtualMachineInstanceMigration].map(({ plural }) => plural);

const READ = ['get', 'list', 'watch'];
const WRITE = ['get', 'delete', 'create', 'update', 'patch', 'list', 'watch'];

const vm = (names: readonly string[]) => names.map((name) => `${virtualMachine.plural}/${name}`);
const instance = (names: readonly string[]) => names.map((name) => `${virtualMachineInstance.plural}/${name}`);

const objects = (verbs: readonly string[]): PolicyRule => ({
  apiGroups: [virtualMachine.group],
  resources: PLURALS,
  verbs,
});
const through = (resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [SUBRESOURCES_GROUP],
  resources,
  verbs,
});

/** Subresources that only read a VM. */
const LOOK = through([...instance(SERVED.instance.get), ...vm(SERVED.machine.get)], ['get']);
const CLUSTER = through(CLUSTER_RESOURCES, ['get', 'list']);
const USE: readonly PolicyRule[] = [
  LOOK,
  CLUSTER,
  through([...instance(NOT_IMPLEMENTED.instance.get), ...vm(NOT_IMPLEMENTED.machine.get)], ['get']),
  through([...instance(SERVED.instance.connect), ...vm(SERVED.machine.connect)], ['get']),
  through(
    [
      ...instance([...SERVED.instance.update, ...NOT_IMPLEMENTED.instance.update]),
      ...vm([...SERVED.machine.update, ...NOT_IMPLEMENTED.machine.update]),
    ],
    ['update'],
  ),
];

/** Permissions of users on VMs, aggregated to the default user-facing roles of Kubernetes. */
export const USER_ROLES: readonly ClusterRole[] = [
  role('view', [objects(READ), LOOK, CLUSTER]),
  role('edit', [objects(WRITE), ...USE]),
  role('admin', [objects([...WRITE, 'deletecollection']), ...USE]),
];

function role(name: 'view' | 'edit' | 'admin', rules: readonly PolicyRule[]): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `kubevirt.io:${name}`,
      labels: { [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' },
    },
    rules,
  };
}
