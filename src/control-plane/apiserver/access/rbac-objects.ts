/** Defines the parts of the RBAC kinds that decisions depend on. Whole API objects are assignable. */

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

export interface RoleSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Role {
  readonly metadata: Metadata;
  readonly rules?: readonly PolicyRule[] | null;
}

export interface ClusterRole extends Role {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly RoleSelector[] } | null;
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleBinding {
  readonly metadata: Metadata;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Maps each kind to the type of its objects in an authorizer. */
export interface RbacObjects {
  readonly Role: Role;
  readonly ClusterRole: ClusterRole;
  readonly RoleBinding: RoleBinding;
  readonly ClusterRoleBinding: RoleBinding;
}

export type RbacKind = keyof RbacObjects;
