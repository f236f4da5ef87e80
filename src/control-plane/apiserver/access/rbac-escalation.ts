import { goQuote } from '#platform/base/go-value';
import { joinReasons } from '../join-reasons.ts';
import type { Authorize } from './attributes.ts';
import { missingPermissions } from './missing-permissions.ts';
import { changesOnlyOwnerFields } from './owner-fields.ts';
import type { UserRules } from './rbac.ts';
import { type ClusterRole, type PolicyRule, RBAC_GROUP, type RoleBinding, type RoleRef } from './rbac-objects.ts';
import { MASTERS, type User } from './user.ts';

/** Authorizer as the check uses it; Rbac implements it. */
export interface Access {
  authorize: Authorize;
  rulesFor(user: User, namespace: string): UserRules;
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

interface RbacWrite {
  readonly user: User;
  readonly resource: string;
  /** Namespace; '' for a ClusterRole or ClusterRoleBinding. */
  readonly namespace: string;
}

/** Describes a write of a Role or ClusterRole. */
export interface RoleWrite extends RbacWrite {
  readonly resource: 'roles' | 'clusterroles';
  /** Name in the request's path: '' on create. */
  readonly requestName: string;
  readonly role: ClusterRole;
  readonly old?: ClusterRole;
}

/** Describes a write of a RoleBinding or ClusterRoleBinding. */
export interface BindingWrite extends RbacWrite {
  readonly resource: 'rolebindings' | 'clusterrolebindings';
  /** Binding as it was sent, not yet validated. */
  readonly binding: Omit<RoleBinding, 'roleRef'> & { readonly roleRef?: Partial<RoleRef> };
  readonly old?: RoleBinding;
}

/** Reason why a write is rejected: the detail of a 403, a role that does not exist (404), or one of an unknown kind. */
export type Escalation =
  | { readonly reason: 'Forbidden'; readonly detail: string }
  | { readonly reason: 'Unsupported'; readonly detail: string }
  | { readonly reason: 'NotFound'; readonly name: string };

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const ROLES_OF_KIND: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
]);

/** Rejects a role with permissions that the user does not have, unless the user may `escalate` that role. */
export function checkRoleWrite(access: Access, write: RoleWrite): Escalation | undefined {
  const { user, resource, namespace, requestName, role, old } = write;
  if (user.groups.includes(MASTERS)) return undefined;
  const requested = { user, verb: 'escalate', group: RBAC_GROUP, resource, namespace, name: requestName };
  if (access.authorize(requested).allowed) return undefined;
  if (old && changesOnlyOwnerFields(role, old)) return undefined;
  const missing = missingMessage(access, write, role.rules ?? []);
  if (missing !== undefined) return { reason: 'Forbidden', detail: missing };
  // Changing or removing an aggregation rule requires as much as adding one: it may have gathered less before, or more.
  const aggregates = isAggregated(role) || (old !== undefined && isAggregated(old));
  if (aggregates && missingMessage(access, write, EVERYTHING) !== undefined) {
    return { reason: 'Forbidden', detail: 'must have cluster-admin privileges to use the aggregationRule' };
  }
  return undefined;
}

function isAggregated({ aggregationRule }: ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Rejects a binding to a role with permissions that the user does not have, unless the user may `bind` that role. */
export function checkBindingWrite(access: Access, write: BindingWrite): Escalation | undefined {
  const { user, namespace, binding, old } = write;
  if (user.groups.includes(MASTERS)) return undefined;
  const { kind = '', name = '', apiGroup: group = RBAC_GROUP } = binding.roleRef ?? {};
  if (old && changesOnlyOwnerFields(binding, old)) return undefined;
  const roles = ROLES_OF_KIND.get(kind);
  if (roles === undefined) {
    return { reason: 'Unsupported', detail: `unsupported role reference kind: ${goQuote(kind)}` };
  }
  if (access.authorize({ user, verb: 'bind', group, resource: roles, namespace, name }).allowed) return undefined;
  const rules = access.rulesOf({ kind, name }, namespace);
  if (rules === undefined) return { reason: 'NotFound', name };
  const detail = missingMessage(access, write, rules);
  return detail === undefined ? undefined : { reason: 'Forbidden', detail };
}

/** Describes the desired permissions that the user lacks; undefined if there are none. */
function missingMessage(access: Access, write: RbacWrite, desired: readonly PolicyRule[]): string | undefined {
  const { user, resource, namespace } = write;
  const { rules, missing } = access.rulesFor(user, namespace);
  const lines = missingPermissions(rules, desired);
  if (lines !== 'incomparable' && lines.length === 0) return undefined;
  const groups = `[${user.groups.map(goQuote).join(' ')}]`;
  const who = `user ${goQuote(user.name)} (groups=${groups})`;
  if (lines === 'incomparable') {
    return `${who} has too many RBAC permissions to compare with these rules: use several smaller roles`;
  }
  // The server names the resource of the request here, whichever kind of role is missing.
  const errors = missing.map(({ name }) => `${resource}.${RBAC_GROUP} ${goQuote(name)} not found`);
  const unresolved = errors.length === 0 ? '' : `; resolution errors: [${joinReasons(errors)}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${unresolved}`;
}
