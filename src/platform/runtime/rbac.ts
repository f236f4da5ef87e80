import type { PolicyRule } from '#platform/kube/kinds/rbac';

/** Permissions of components that record Events. */
export const EVENT_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Returns the permissions of a candidate for the lease of this name. */
export function leaseRules(name: string): readonly PolicyRule[] {
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    { ...lease, resourceNames: [name], verbs: ['get', 'update'] },
    // A create request has the name only in its body, which RBAC does not inspect.
    { ...lease, verbs: ['create'] },
  ];
}

/** Permissions that are needed to review a token with the API server. */
export const TOKEN_REVIEW_RULES: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
