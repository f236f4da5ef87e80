import type { PolicyRule } from '#platform/kube/kinds/rbac';

/** What whoever records Events may do. */
export const EVENT_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** What a candidate for leadership may do with the lease of this name. */
export function leaseRules(name: string): readonly PolicyRule[] {
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    { ...lease, resourceNames: [name], verbs: ['get', 'update'] },
    // Who creates gives the name only in the body, which rules do not look into.
    { ...lease, verbs: ['create'] },
  ];
}
