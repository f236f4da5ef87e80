import type { RawAnswer } from '../http1-connection.ts';
import type { Expectation } from './expectation.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type FuzzKind,
  objectKey,
  RBAC_GROUP,
  RBAC_KINDS,
  ROLES,
} from './fuzz-kinds.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import type { Lane } from './lane.ts';
import type { Binding, Rule } from './rbac-model.ts';
import type { ResourceAccess } from './request-info.ts';

interface StoredObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly deletionTimestamp?: string };
  readonly rules?: readonly Rule[];
  readonly aggregationRule?: object;
  readonly roleRef?: Binding['roleRef'];
  readonly subjects?: Binding['subjects'];
  readonly items?: readonly StoredObject[];
}

/** Updates the model of a lane after a permitted write that succeeded. */
export function recordEffects(lane: Lane, request: FuzzRequest, { access }: Expectation, answer: RawAnswer): void {
  if (answer.status >= 300 || access === undefined || 'path' in access || isDryRun(request)) return;
  if (!['create', 'update', 'patch', 'delete', 'deletecollection'].includes(access.verb)) return;
  if (access.resource === 'bindings') return touchAll(lane, 'pods.', access.namespace);
  const kind = { group: access.group, plural: access.resource };
  const object = parsed(answer.body);
  if (access.verb === 'deletecollection') {
    touchAll(lane, `${kind.plural}.${kind.group}`, access.namespace);
    if (kind.plural === 'services') touchAll(lane, 'endpoints.', access.namespace);
    // Objects with finalizers remain for a while. Roles and bindings have none.
    if (access.group !== RBAC_GROUP) return;
    for (const item of object?.items ?? []) forget(lane, request.kind, access, item.metadata?.name ?? '');
    return;
  }
  // Responses in other formats than JSON do not name the object, but the request body may.
  const sent = parsed(request.body.toString('utf8'))?.metadata?.name;
  // The object created by a POST of a custom resource is named by its body, even if its path has a name too.
  const isNew = access.name === '' || (access.verb === 'create' && access.subresource === '');
  const name = isNew ? (object?.metadata?.name ?? sent ?? '') : access.name;
  const key = objectKey(kind, access.namespace, name);
  lane.touched.add(key);
  // The Endpoints of a Service are deleted with it.
  if (kind.plural === 'services' && access.verb === 'delete') {
    lane.touched.add(objectKey({ group: '', plural: 'endpoints' }, access.namespace, name));
    lane.uncertain.add(objectKey({ group: '', plural: 'endpoints' }, access.namespace, name));
  }
  if (access.subresource === 'eviction' || access.subresource === 'binding') lane.uncertain.add(key);
  if (access.subresource !== '') return;
  if (name === '') return touchAll(lane, `${kind.plural}.${kind.group}`, access.namespace);
  if (access.verb !== 'delete') {
    lane.stored.add(key);
    if (request.kind !== undefined && RBAC_KINDS.includes(request.kind) && object !== undefined) {
      learn(lane, request.kind, access.namespace, name, object);
    }
  } else if (object?.metadata?.deletionTimestamp === undefined && kind.plural !== 'pods') {
    forget(lane, request.kind, access, name);
  } else lane.uncertain.add(key);
}

export function isDryRun({ target }: Pick<FuzzRequest, 'target'>): boolean {
  const mark = target.indexOf('?');
  return mark >= 0 && new URLSearchParams(target.slice(mark + 1)).has('dryRun');
}

/** From here on, the model does not know which objects of a collection exist until it reads the store. */
function touchAll(lane: Lane, resource: string, namespace: string): void {
  lane.touched.add(`${resource}|${namespace}|*`);
  for (const key of lane.stored) if (key.startsWith(`${resource}|${namespace}|`)) lane.uncertain.add(key);
}

function forget(
  lane: Lane,
  kind: FuzzKind | undefined,
  { group, resource, namespace }: ResourceAccess,
  name: string,
): void {
  const key = objectKey({ group, plural: resource }, namespace, name);
  lane.stored.delete(key);
  lane.uncertain.delete(key);
  if (kind === undefined || !RBAC_KINDS.includes(kind)) return;
  const place = kind.namespaced ? `${namespace}/${name}` : name;
  const { roles, clusterRoles, roleBindings, clusterRoleBindings } = lane.rbac;
  const held = {
    roles,
    clusterroles: clusterRoles,
    rolebindings: roleBindings,
    clusterrolebindings: clusterRoleBindings,
  };
  held[kind.plural as keyof typeof held].delete(place);
  lane.rbac.aggregated.delete(place);
}

/** Reads a role or binding into the model. */
export function learn(lane: Lane, kind: FuzzKind, namespace: string, name: string, object: object): void {
  const { rules, aggregationRule, roleRef, subjects } = object as StoredObject;
  const key = kind.namespaced ? `${namespace}/${name}` : name;
  const { rbac } = lane;
  if (kind === ROLES || kind === CLUSTER_ROLES) {
    (kind === ROLES ? rbac.roles : rbac.clusterRoles).set(key, rules ?? []);
    if (aggregationRule === undefined) rbac.aggregated.delete(key);
    else rbac.aggregated.add(key);
    return;
  }
  const bindings = kind === CLUSTER_ROLE_BINDINGS ? rbac.clusterRoleBindings : rbac.roleBindings;
  if (roleRef !== undefined) bindings.set(key, { roleRef, subjects: subjects ?? [] });
}

function parsed(text: string): StoredObject | undefined {
  try {
    return JSON.parse(text) as StoredObject;
  } catch {
    return undefined;
  }
}
