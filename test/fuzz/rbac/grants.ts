import { CUSTOM_GROUPS, KINDS, RBAC_GROUP } from './fuzz-kinds.ts';
import type { Binding, Person, Rule, Subject } from './rbac-model.ts';

/** Kinds of permissions of the users of the fuzzer. */
export type UserKind = 'nobody' | 'viewer' | 'editor' | 'limited' | 'granter' | 'lister' | 'account';

export interface FuzzUser extends Person {
  readonly kind: UserKind;
}

/** Names of one lane, which no other lane uses. */
export interface LaneNames {
  readonly prefix: string;
  readonly home: string;
  readonly foreign: string;
}

export const POOL = ['o1', 'o2', 'o3'];
export const ACCOUNT = 'sa1';

export function laneNames(lane: number): LaneNames {
  const prefix = `fz${lane}`;
  return { prefix, home: `${prefix}-home`, foreign: `${prefix}-foreign` };
}

export function usersOf({ prefix, home }: LaneNames): FuzzUser[] {
  const kinds = ['nobody', 'viewer', 'editor', 'limited', 'granter', 'lister'] as const;
  const account = {
    kind: 'account' as const,
    name: `system:serviceaccount:${home}:${ACCOUNT}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${home}`, 'system:authenticated'],
  };
  return [
    ...kinds.map((kind) => ({ kind, name: `${prefix}-${kind}`, groups: [`${prefix}-group`, 'system:authenticated'] })),
    account,
  ];
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const GROUPS = [...new Set(KINDS.map(({ group }) => group))];
const PLURALS = [...new Set(KINDS.map(({ plural }) => plural))];
const core = (verbs: string[], resources: string[], resourceNames?: string[]): Rule => ({
  apiGroups: [''],
  resources,
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const VIEW: readonly Rule[] = [
  { apiGroups: GROUPS, resources: PLURALS.filter((plural) => plural !== 'secrets'), verbs: READ },
  core(['get'], ['pods/log', 'namespaces', 'pods/status']),
];

const EDIT: readonly Rule[] = [
  {
    apiGroups: GROUPS,
    resources: PLURALS.filter((plural) => plural !== 'serviceaccounts'),
    verbs: [...READ, ...WRITE],
  },
  core(['create'], ['pods/eviction', 'bindings', 'pods/binding']),
  { apiGroups: ['apps', 'novacron.io'], resources: ['deployments/scale', 'vmpools/scale'], verbs: ['*'] },
  core(['get', 'update', 'patch'], ['pods/ephemeralcontainers']),
];

/** Single names, subresources, and writes without the permission to create. */
const LIMITED: readonly Rule[] = [
  core([...READ, 'update', 'patch', 'delete'], ['configmaps'], ['o1']),
  core(['get'], ['secrets'], ['o2']),
  core(['update', 'patch'], ['services', 'endpoints', 'events', 'pods', 'secrets']),
  { apiGroups: ['coordination.k8s.io', 'apps'], resources: ['*'], verbs: ['update', 'patch'] },
  { apiGroups: CUSTOM_GROUPS, resources: ['*'], verbs: ['update', 'patch'] },
  { apiGroups: ['*'], resources: ['*/scale'], verbs: ['get', 'patch'] },
  core(['create'], ['pods/eviction']),
  core(['create'], ['pods/binding'], ['o1']),
  core(['create'], ['serviceaccounts/token'], [ACCOUNT]),
  { apiGroups: [RBAC_GROUP], resources: ['roles', 'rolebindings'], verbs: ['update', 'patch'] },
];

const CERTIFICATES = ['certificates.k8s.io'];

/** Cluster-wide permissions of the users of a lane. */
function clusterRules({ prefix }: LaneNames): Readonly<Record<string, readonly Rule[]>> {
  const own = [`${prefix}:p1`, `${prefix}:p2`];
  const cluster = ['clusterroles', 'clusterrolebindings'];
  return {
    limited: [
      core(['impersonate'], ['users'], [`${prefix}-viewer`]),
      { apiGroups: CERTIFICATES, resources: ['certificatesigningrequests'], verbs: ['create', 'get', 'delete'] },
      {
        apiGroups: CERTIFICATES,
        resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
        verbs: ['update', 'patch'],
      },
      { nonResourceURLs: ['/metrics', '/debug/*'], verbs: ['get'] },
    ],
    granter: [
      { apiGroups: [RBAC_GROUP], resources: ['roles', 'rolebindings'], verbs: [...READ, ...WRITE] },
      { apiGroups: [RBAC_GROUP], resources: cluster, verbs: [...READ, 'create'] },
      { apiGroups: [RBAC_GROUP], resources: cluster, verbs: ['update', 'patch', 'delete'], resourceNames: own },
      // These roles only serve to be rejected, because they allow more than this user has.
      {
        apiGroups: [RBAC_GROUP],
        resources: ['clusterroles'],
        verbs: ['update', 'patch'],
        resourceNames: ['cluster-admin', 'view', 'edit'],
      },
      { apiGroups: [RBAC_GROUP], resources: ['clusterroles'], verbs: ['bind'], resourceNames: [`${prefix}:view`] },
      core(['get'], ['configmaps']),
      core(['get'], ['secrets'], ['o3']),
    ],
    lister: [
      core(READ, ['configmaps', 'namespaces']),
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: READ },
      { apiGroups: CERTIFICATES, resources: ['certificatesigningrequests'], verbs: ['create', 'get'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ],
  };
}

/** A role or binding that a lane starts with. */
export type Grant =
  | {
      readonly kind: 'ClusterRole' | 'Role';
      readonly namespace: string;
      readonly name: string;
      readonly rules: readonly Rule[];
    }
  | {
      readonly kind: 'ClusterRoleBinding' | 'RoleBinding';
      readonly namespace: string;
      readonly name: string;
      readonly binding: Binding;
    };

/** Roles come before the bindings that refer to them. */
export function grantsOf(names: LaneNames): Grant[] {
  const { prefix, home, foreign } = names;
  const user = (kind: UserKind): Subject => ({ kind: 'User', name: `${prefix}-${kind}` });
  const grants: Grant[] = [{ kind: 'ClusterRole', namespace: '', name: `${prefix}:view`, rules: VIEW }];
  for (const [kind, rules] of Object.entries(clusterRules(names))) {
    const name = `${prefix}:${kind}`;
    const binding = { roleRef: { kind: 'ClusterRole', name }, subjects: [user(kind as UserKind)] };
    grants.push({ kind: 'ClusterRole', namespace: '', name, rules });
    grants.push({ kind: 'ClusterRoleBinding', namespace: '', name, binding });
  }
  const inside = (namespace: string, name: string, rules: readonly Rule[] | undefined, subject: Subject): void => {
    if (rules !== undefined) grants.push({ kind: 'Role', namespace, name, rules });
    const roleRef = rules === undefined ? { kind: 'ClusterRole', name: `${prefix}:view` } : { kind: 'Role', name };
    grants.push({ kind: 'RoleBinding', namespace, name, binding: { roleRef, subjects: [subject] } });
  };
  inside(home, 'viewer', undefined, user('viewer'));
  inside(home, 'editor', EDIT, user('editor'));
  inside(home, 'limited', LIMITED, user('limited'));
  const account = { kind: 'ServiceAccount', name: ACCOUNT, namespace: home };
  inside(foreign, 'account', [core([...READ, ...WRITE], ['configmaps'])], account);
  return grants;
}
