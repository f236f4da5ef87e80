import type { KubeObject } from '../kube-object.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import { resourceType } from './resource-type.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorSpec[] };
}

export const CLUSTER_ROLES = resourceType<ClusterRole>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRole',
  'clusterroles',
  'Cluster',
);

export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

export const CLUSTER_ROLE_BINDINGS = resourceType<ClusterRoleBinding>(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  'Cluster',
);
