import { goQuote } from '#platform/base/go-value';
import { joinReasons } from '../join-reasons.ts';
import { type Attributes, type Decision, isPath, type PathAttributes, type ResourceAttributes } from './attributes.ts';
import { BindingIndex, describeBinding, objectKey } from './rbac-bindings.ts';
import { type PolicyRule, RBAC_GROUP, type RbacKind, type RbacObjects, type RoleRef } from './rbac-objects.ts';
import { matchesName, matchesPath, matchesResource } from './rbac-rules.ts';
import { MASTERS, type User } from './user.ts';

/** Holds a rule of a user, and the binding that grants it. */
interface Grant {
  readonly rule: PolicyRule;
  readonly reason: string;
}

/** Holds all permissions of a user in one namespace, with cached decisions. */
interface Scope {
  readonly grants: readonly Grant[];
  readonly missing: readonly RoleRef[];
  readonly refusal: Decision;
  /** Grants that cover a verb and resource, up to the first that covers every name. */
  readonly byRequest: Map<string, readonly Grant[]>;
}

/** Holds the scopes of one namespace: by user identity, and by user object for those that recur. */
interface NamespaceScopes {
  readonly byKey: Map<string, Scope>;
  readonly byUser: WeakMap<User, Scope>;
}

/** Permissions of a user in a namespace. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that the user is bound to but that do not exist. */
  readonly missing: readonly RoleRef[];
}

const ALLOWED_AS_MASTER: Decision = { allowed: true, reason: '' };
const MAX_SCOPES = 4096;
const MAX_REQUESTS = 4096;

/**
 * Authorizes by the roles and bindings that it is given. Decisions are cached until one of those changes, and depend on
 * nothing else. Bindings are evaluated in the order of their names, those of the cluster first.
 */
export class Rbac {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #clusterRoles = new Map<string, readonly PolicyRule[]>();
  readonly #roleBindings = new BindingIndex();
  readonly #clusterRoleBindings = new BindingIndex();
  /** Scopes by namespace, so that a change in one does not affect others. */
  readonly #scopes = new Map<string, NamespaceScopes>();

  /** Adds or updates an object. */
  upsert<K extends RbacKind>(kind: K, object: RbacObjects[K]): void;
  upsert(kind: RbacKind, object: RbacObjects['ClusterRole'] & RbacObjects['RoleBinding']): void {
    const { namespace, name } = object.metadata;
    if (kind === 'Role') this.#roles.set(objectKey(namespace, name), object.rules ?? []);
    else if (kind === 'ClusterRole') this.#clusterRoles.set(name, object.rules ?? []);
    else this.#bindings(kind).upsert(object);
    this.#forgetScopes(kind, namespace);
  }

  /** Removes an object; an unknown one is ignored. */
  remove(kind: RbacKind, namespace: string | undefined, name: string): void {
    if (kind === 'Role') this.#roles.delete(objectKey(namespace, name));
    else if (kind === 'ClusterRole') this.#clusterRoles.delete(name);
    else this.#bindings(kind).remove(namespace, name);
    this.#forgetScopes(kind, namespace);
  }

  /** Decides on a request. The reason of a denial names the bindings whose role does not exist, if any. */
  authorize(attributes: Attributes): Decision {
    if (attributes.user.groups.includes(MASTERS)) return ALLOWED_AS_MASTER;
    return isPath(attributes) ? this.#path(attributes) : this.#resource(attributes);
  }

  /** Returns all rules of the user in the namespace ('' for the cluster scope only). */
  rulesFor(user: User, namespace: string): UserRules {
    const { grants, missing } = this.#scope(user, namespace);
    return { rules: grants.map(({ rule }) => rule), missing };
  }

  /** Returns the rules of the role that a binding in the namespace refers to; undefined if the role does not exist. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (ref.kind === 'ClusterRole') return this.#clusterRoles.get(ref.name);
    return ref.kind === 'Role' ? this.#roles.get(objectKey(namespace, ref.name)) : undefined;
  }

  #resource(attributes: ResourceAttributes): Decision {
    const scope = this.#scope(attributes.user, attributes.namespace ?? '');
    const { verb, group, resource, subresource = '', name = '' } = attributes;
    const key = `${verb.length} ${group.length} ${resource.length} ${verb}${group}${resource}${subresource}`;
    let grants = scope.byRequest.get(key);
    if (grants === undefined) {
      grants = grantsFor(scope.grants, attributes);
      if (scope.byRequest.size >= MAX_REQUESTS) scope.byRequest.clear();
      scope.byRequest.set(key, grants);
    }
    for (const { rule, reason } of grants) if (matchesName(rule, name)) return { allowed: true, reason };
    return scope.refusal;
  }

  #path(attributes: PathAttributes): Decision {
    const scope = this.#scope(attributes.user, '');
    const grant = scope.grants.find(({ rule }) => matchesPath(rule, attributes));
    return grant ? { allowed: true, reason: grant.reason } : scope.refusal;
  }

  #scope(user: User, namespace: string): Scope {
    let scopes = this.#scopes.get(namespace);
    if (scopes === undefined) {
      if (this.#scopes.size >= MAX_SCOPES) this.#scopes.clear();
      scopes = { byKey: new Map(), byUser: new WeakMap() };
      this.#scopes.set(namespace, scopes);
    }
    let scope = scopes.byUser.get(user);
    if (scope === undefined) {
      scope = this.#sharedScope(scopes, user, namespace);
      scopes.byUser.set(user, scope);
    }
    return scope;
  }

  #forgetScopes(kind: RbacKind, namespace = ''): void {
    if (kind === 'Role' || kind === 'RoleBinding') this.#scopes.delete(namespace);
    else this.#scopes.clear();
  }

  #sharedScope({ byKey }: NamespaceScopes, user: User, namespace: string): Scope {
    // The key includes lengths, because names and groups may contain any character and two users must never share a
    // key.
    let key = `${user.name.length} ${user.name}`;
    for (const group of user.groups) key += `${group.length} ${group}`;
    let scope = byKey.get(key);
    if (scope === undefined) {
      scope = this.#build(user, namespace);
      if (byKey.size >= MAX_SCOPES) byKey.clear();
      byKey.set(key, scope);
    }
    return scope;
  }

  #build(user: User, namespace: string): Scope {
    const grants: Grant[] = [];
    const missing: RoleRef[] = [];
    const local = namespace === '' ? [] : this.#roleBindings.of(user, namespace);
    for (const { binding, subject } of this.#clusterRoleBindings.of(user, '').concat(local)) {
      const rules = this.rulesOf(binding.roleRef, namespace);
      if (rules === undefined) missing.push(binding.roleRef);
      else {
        const reason = `RBAC: allowed by ${describeBinding(binding, subject)}`;
        for (const rule of rules) grants.push({ rule, reason });
      }
    }
    const reason = missing.length > 0 ? `RBAC: ${missingRoles(missing)}` : '';
    return { grants, missing, refusal: { allowed: false, reason }, byRequest: new Map() };
  }

  #bindings(kind: RbacKind): BindingIndex {
    return kind === 'RoleBinding' ? this.#roleBindings : this.#clusterRoleBindings;
  }
}

function grantsFor(grants: readonly Grant[], request: ResourceAttributes): Grant[] {
  const found: Grant[] = [];
  for (const grant of grants) {
    if (!matchesResource(grant.rule, request)) continue;
    found.push(grant);
    if (!grant.rule.resourceNames?.length) break;
  }
  return found;
}

/** Lists the roles that do not exist, as Go prints several errors: each once, in brackets if there is more than one. */
export function missingRoles(refs: readonly RoleRef[]): string {
  return joinReasons(refs.map(noSuchRole));
}

function noSuchRole(ref: RoleRef): string {
  if (ref.kind === 'ClusterRole' || ref.kind === 'Role') {
    return `${ref.kind.toLowerCase()}.${RBAC_GROUP} ${goQuote(ref.name)} not found`;
  }
  return `unsupported role reference kind: ${goQuote(ref.kind)}`;
}
