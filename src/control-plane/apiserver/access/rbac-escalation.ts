import { goQuote } from '#platform/base/go-value';
import { joinReasons } from '../admission/denial.ts';
import type { Authorize } from './attributes.ts';
import { missingPermissions } from './missing-permissions.ts';
import { changesOnlyOwnerFields } from './owner-fields.ts';
import type { UserRules } from './rbac.ts';
import { type Binding, type ClusterRole, type PolicyRule, RBAC_GROUP, type RoleRef } from './rbac-objects.ts';
import { MASTERS, type User } from './user.ts';

/** What the check needs to know of the authoriser; Rbac fits. */
export interface Access {
  authorize: Authorize;
  rulesFor(user: User, namespace: string): UserRules;
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

interface RbacWrite {
  readonly user: User;
  readonly resource: string;
  /** '' for a ClusterRole or ClusterRoleBinding. */
  readonly namespace: string;
}

/** A write of a Role or ClusterRole. */
export interface RoleWrite extends RbacWrite {
  readonly resource: 'roles' | 'clusterroles';
  /** The name in the request's path: '' on create. */
  readonly requestName: string;
  readonly role: ClusterRole;
  readonly old?: ClusterRole;
}

/** A write of a RoleBinding or ClusterRoleBinding. */
export interface BindingWrite extends RbacWrite {
  readonly resource: 'rolebindings' | 'clusterrolebindings';
  /** As it was sent: nobody has validated it yet. */
  readonly binding: Omit<Binding, 'roleRef'> & { readonly roleRef?: Partial<RoleRef> };
  readonly old?: Binding;
}

/** Why a write is refused: the detail of a 403, a role that the server answers 404 for, or one of no kind that it has. */
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

/** Nobody may put into a role what they do not have themselves, unless they may `escalate` that role. */
export function checkRoleWrite(access: Access, write: RoleWrite): Escalation | undefined {
  const { user, resource, namespace, requestName, role, old } = write;
  if (user.groups.includes(MASTERS)) return undefined;
  const asked = { user, verb: 'escalate', group: RBAC_GROUP, resource, namespace, name: requestName };
  if (access.authorize(asked).allowed) return undefined;
  if (old && changesOnlyOwnerFields(role, old)) return undefined;
  const missing = missingMessage(access, write, role.rules ?? []);
  if (missing !== undefined) return { reason: 'Forbidden', detail: missing };
  // To change or remove one takes as much as to add one: what it gathered before may have been less, or more.
  const aggregates = isAggregated(role) || (old !== undefined && isAggregated(old));
  if (aggregates && missingMessage(access, write, EVERYTHING) !== undefined) {
    return { reason: 'Forbidden', detail: 'must have cluster-admin privileges to use the aggregationRule' };
  }
  return undefined;
}

function isAggregated({ aggregationRule }: ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Nobody may bind a role that holds what they do not have themselves, unless they may `bind` that role. */
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

/** What the user lacks of the wanted rules, in words; undefined where that is nothing. */
function missingMessage(access: Access, write: RbacWrite, wanted: readonly PolicyRule[]): string | undefined {
  const { user, resource, namespace } = write;
  const { rules, missing } = access.rulesFor(user, namespace);
  const lines = missingPermissions(rules, wanted);
  if (lines !== 'incomparable' && lines.length === 0) return undefined;
  const groups = `[${user.groups.map(goQuote).join(' ')}]`;
  const who = `user ${goQuote(user.name)} (groups=${groups})`;
  if (lines === 'incomparable') {
    return `${who} has RBAC permissions that are too many to be compared with these rules: write several smaller roles`;
  }
  // The server names the resource of the request here, whichever kind of role is missing.
  const errors = missing.map(({ name }) => `${resource}.${RBAC_GROUP} ${goQuote(name)} not found`);
  const unresolved = errors.length === 0 ? '' : `; resolution errors: [${joinReasons(errors)}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${unresolved}`;
}
