import { virtualMachineInstance } from '#api/kubevirt/group';
import { OPERATE } from '#api/operate-verb';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import type { Kind } from '#platform/schema/kind';

/** What it takes to know what machines use, where others measure it. */
export const USAGE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] },
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list', 'watch'] },
];

/** What the controller of machines may do, for each of the kinds that it looks after. */
export function vmRules(kinds: readonly Kind[]): readonly PolicyRule[] {
  return [
    ...kinds.flatMap(({ group, plural }) => [
      { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'update'] },
      { apiGroups: [group], resources: [`${plural}/status`], verbs: ['update', OPERATE] },
      // Where owners are protected, whoever blocks their deletion must be able to.
      { apiGroups: [group], resources: [`${plural}/finalizers`], verbs: ['update'] },
    ]),
    {
      apiGroups: [virtualMachineInstance.group],
      resources: [virtualMachineInstance.plural],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'delete', OPERATE],
    },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
}
