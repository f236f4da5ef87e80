import { goQuote } from '../../base/go-value.ts';
import type { Authorize } from './attributes.ts';
import type { UserRules } from './rbac.ts';
import { type Binding, type ClusterRole, type PolicyRule, RBAC_GROUP, type RoleRef } from './rbac-objects.ts';
import { coversPath, coversResource, has } from './rbac-rules.ts';
import { MASTERS, type User } from './user.ts';

/** What the check needs to know of the authoriser; Rbac fits. */
export interface Access {
  authorize: Authorize;
  rulesFor(user: User, namespace: string): UserRules;
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

interface Write {
  readonly user: User;
  readonly resource: string;
  /** '' for a ClusterRole or ClusterRoleBinding. */
  readonly namespace: string;
}

/** A write of a Role or ClusterRole. */
export interface RoleWrite extends Write {
  readonly resource: 'roles' | 'clusterroles';
  /** The name in the request's path: '' on create. */
  readonly requestName: string;
  readonly role: ClusterRole;
  readonly old?: ClusterRole;
}

/** A write of a RoleBinding or ClusterRoleBinding. */
export interface BindingWrite extends Write {
  readonly resource: 'rolebindings' | 'clusterrolebindings';
  readonly binding: Binding;
  readonly old?: Binding;
}

/** Why a write is refused: the detail of a 403, or a role that the server answers 404 for. */
export type Escalation =
  | { readonly reason: 'Forbidden'; readonly detail: string }
  | { readonly reason: 'NotFound'; readonly name: string };

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Nobody may put into a role what they do not have themselves, unless they may `escalate` that role. */
export function checkRoleWrite(access: Access, write: RoleWrite): Escalation | undefined {
  const { user, resource, namespace, requestName, role, old } = write;
  if (user.groups.includes(MASTERS)) return undefined;
  const asked = { user, verb: 'escalate', group: RBAC_GROUP, resource, namespace, name: requestName };
  if (access.authorize(asked).allowed) return undefined;
  // An update that leaves the rules alone (labels, finalizers) grants nothing new.
  if (old && same(old.rules ?? [], role.rules ?? []) && same(old.aggregationRule, role.aggregationRule)) {
    return undefined;
  }
  const missing = missingMessage(access, write, role.rules ?? []);
  if (missing !== undefined) return { reason: 'Forbidden', detail: missing };
  if (role.aggregationRule && missingMessage(access, write, EVERYTHING) !== undefined) {
    return { reason: 'Forbidden', detail: 'must have cluster-admin privileges to use the aggregationRule' };
  }
  return undefined;
}

/** Nobody may bind a role that holds what they do not have themselves, unless they may `bind` that role. */
export function checkBindingWrite(access: Access, write: BindingWrite): Escalation | undefined {
  const { user, namespace, binding, old } = write;
  if (user.groups.includes(MASTERS)) return undefined;
  const { roleRef } = binding;
  if (old && same(old.subjects ?? [], binding.subjects ?? []) && same(old.roleRef, roleRef)) return undefined;
  const roles = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  const asked = { user, verb: 'bind', group: RBAC_GROUP, resource: roles, namespace, name: roleRef.name };
  if (access.authorize(asked).allowed) return undefined;
  const rules = access.rulesOf(roleRef, namespace);
  if (rules === undefined) return { reason: 'NotFound', name: roleRef.name };
  const detail = missingMessage(access, write, rules);
  return detail === undefined ? undefined : { reason: 'Forbidden', detail };
}

/** What the user lacks of the wanted rules, in words; undefined where that is nothing. */
function missingMessage(access: Access, write: Write, wanted: readonly PolicyRule[]): string | undefined {
  const { user, resource, namespace } = write;
  const { rules, missing } = access.rulesFor(user, namespace);
  const lacking = uncovered(rules, wanted);
  if (lacking.length === 0) return undefined;
  const lines = [...new Set(compact(lacking).map(formatRule))].sort();
  const groups = `[${user.groups.map(goQuote).join(' ')}]`;
  // The server names the resource of the request here, whichever kind of role is missing.
  const errors = missing.map(({ name }) => `${resource}.${RBAC_GROUP} ${goQuote(name)} not found`);
  const unresolved = errors.length > 0 ? `; resolution errors: [${errors.join(' ')}]` : '';
  const who = `user ${goQuote(user.name)} (groups=${groups})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${unresolved}`;
}

/** The parts of the wanted rules, each of one verb on one thing, that no rule of the owner covers. */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames?.length ? rule.resourceNames.map((name) => [name]) : [[]];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        for (const resourceNames of names) {
          parts.push({ apiGroups: [group], resources: [resource], verbs: [verb], resourceNames });
        }
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return parts;
}

function covers(owner: PolicyRule, part: PolicyRule): boolean {
  const namesHold = part.resourceNames?.length
    ? !owner.resourceNames?.length || part.resourceNames.every((name) => owner.resourceNames?.includes(name))
    : !owner.resourceNames?.length;
  return (
    namesHold &&
    part.verbs.every((verb) => has(owner.verbs, verb)) &&
    (part.apiGroups ?? []).every((group) => has(owner.apiGroups, group)) &&
    (part.resources ?? []).every((resource) => coversResource(owner.resources, resource)) &&
    (part.nonResourceURLs ?? []).every((path) => owner.nonResourceURLs?.some((url) => coversPath(url, path)))
  );
}

/** Puts the verbs on the same resource back together, which is how the message shows them. */
function compact(parts: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  const paths: PolicyRule[] = [];
  for (const part of parts) {
    if (part.nonResourceURLs) {
      paths.push(part);
      continue;
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
    const before = merged.get(key);
    merged.set(key, before ? { ...part, verbs: [...before.verbs, ...part.verbs] } : part);
  }
  return [...merged.values(), ...paths];
}

function formatRule(rule: PolicyRule): string {
  const fields: [string, readonly string[] | null | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = fields.filter(([, list]) => list?.length);
  return `{${shown.map(([name, list]) => `${name}:[${(list ?? []).map(goQuote).join(' ')}]`).join(', ')}}`;
}

/** Equal as data, with an absent field equal to an empty one. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null, withoutEmpty) === JSON.stringify(b ?? null, withoutEmpty);
}

function withoutEmpty(_key: string, value: unknown): unknown {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1)));
}
