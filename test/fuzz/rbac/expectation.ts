import { CERTIFICATE_REQUESTS, objectKey, RBAC_KINDS } from './fuzz-kinds.ts';
import type { FuzzRequest, RbacWrite } from './fuzz-request.ts';
import type { Lane } from './lane.ts';
import type { Person, Rule } from './rbac-model.ts';
import { type Access, accessOf, type ResourceAccess } from './request-info.ts';

/** Expected outcome of a request according to the model. */
export interface Expectation {
  /**
   * 'forbidden' is exactly a 403, 'refused' any status that means that nothing was done, 'unclear' means that the
   * response of Kubernetes depends on state that is not modeled.
   */
  readonly outcome: 'permitted' | 'forbidden' | 'refused' | 'unclear';
  /** The only possible statuses, if the model knows them. */
  readonly statuses?: readonly number[];
  /** Access that the request needs, or undefined if its path is invalid. */
  readonly access: Access | undefined;
  /** Effective user of the request. */
  readonly person: Person;
  readonly reason: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']);

/** Returns what Kubernetes would respond to a request, given the roles and objects of the lane. */
export function expectationOf(lane: Lane, request: FuzzRequest): Expectation {
  const access = accessOf(request.method, request.target);
  const person = request.user;
  if (access === undefined) return { outcome: 'unclear', access, person, reason: 'the path cannot be read' };
  const expected = decided(lane, request, access);
  // An HTTP/1.1 parser of the server may reject an unknown method before authentication.
  if (request.protocol === 'HTTP/2' || METHODS.has(request.method)) return expected;
  return { ...expected, outcome: expected.outcome === 'forbidden' ? 'refused' : 'unclear' };
}

function decided(lane: Lane, request: FuzzRequest, access: Access): Expectation {
  const other = impersonated(lane, request);
  if (request.impersonates !== undefined && other === undefined) {
    return { access, person: request.user, outcome: 'forbidden', reason: 'it may not impersonate' };
  }
  const person = other ?? request.user;
  const permitted = { access, person, outcome: 'permitted', reason: 'a rule allows it' } as const;
  if (!lane.rbac.allows(person, access)) return { ...permitted, outcome: 'forbidden', reason: 'no rule allows it' };
  if ('path' in access || request.kind === undefined) return permitted;
  const verdict = withinAuthorization(lane, request, access, person);
  if (request.wellFormed) return { ...permitted, ...verdict };
  // A malformed or oddly spelled request may also be rejected for that reason.
  const { outcome, reason = permitted.reason } = verdict;
  return { ...permitted, outcome: outcome === 'forbidden' ? 'refused' : outcome, reason };
}

function impersonated({ rbac }: Lane, { user, impersonates }: FuzzRequest): Person | undefined {
  if (impersonates === undefined || impersonates.isMore) return undefined;
  const access = { verb: 'impersonate', group: '', subresource: '' };
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(impersonates.user);
  const [, namespace = '', name = ''] = account ?? [];
  const target =
    account === null
      ? { ...access, resource: 'users', namespace: '', name: impersonates.user }
      : { ...access, resource: 'serviceaccounts', namespace, name };
  if (!rbac.allows(user, target)) return undefined;
  for (const group of impersonates.groups) {
    if (!rbac.allows(user, { ...access, resource: 'groups', namespace: '', name: group })) return undefined;
  }
  const derived = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const groups = impersonates.groups.length > 0 ? impersonates.groups : derived;
  return { name: impersonates.user, groups: [...groups, 'system:authenticated'] };
}

type Verdict = Pick<Expectation, 'outcome' | 'statuses'> & { readonly reason?: string };

const PERMITTED: Verdict = { outcome: 'permitted' };

/** Returns what is denied or not found after the authorizer has allowed the request. */
function withinAuthorization(lane: Lane, request: FuzzRequest, access: ResourceAccess, person: Person): Verdict {
  const { kind } = request;
  const isRouted = kind !== undefined && kind.plural === access.resource && kind.group === access.group;
  // An odd spelling may not match any served path, and then nothing more is authorized.
  if (!isRouted || (kind.namespaced && access.namespace === '')) return PERMITTED;
  if (kind === CERTIFICATE_REQUESTS && access.subresource !== '' && access.verb !== 'get') {
    return request.wellFormed ? approval(lane, access) : { outcome: 'unclear' };
  }
  if (access.subresource !== '') return PERMITTED;
  const key = objectKey(kind, kind.namespaced ? access.namespace : '', access.name);
  const exists = lane.uncertain.has(key) ? undefined : lane.stored.has(key);
  const isRbac = request.rbac !== undefined && ['create', 'update', 'patch'].includes(access.verb);
  const escalation = isRbac ? rbacVerdict(lane, request, access, person, exists) : PERMITTED;
  if (escalation.outcome !== 'permitted') return escalation;
  const creation = createdBy(lane, request, access, person, exists);
  if (creation !== undefined) return creation;
  if (isRbac) return escalation;
  return request.wellFormed ? statusFor(lane, request, access, exists) : PERMITTED;
}

/** A user who may update or patch also needs `create` if the write creates an object. */
function createdBy(
  { rbac }: Lane,
  request: FuzzRequest,
  access: ResourceAccess,
  person: Person,
  exists: boolean | undefined,
): Verdict | undefined {
  const { kind, applies } = request;
  const creates = access.verb === 'update' ? kind?.createOnUpdate === true : access.verb === 'patch' && applies;
  if (!creates || exists === true) return undefined;
  if (rbac.allows(person, { ...access, verb: 'create' })) return undefined;
  if (exists === undefined) return { outcome: 'unclear' };
  return { outcome: 'forbidden', reason: 'it would create the object, which no rule allows' };
}

/** Approving or signing requires a rule that names the signer. None of the users has one. */
function approval(lane: Lane, { name, subresource }: ResourceAccess): Verdict {
  const key = objectKey(CERTIFICATE_REQUESTS, '', name);
  if (lane.uncertain.has(key)) return { outcome: 'unclear' };
  if (!lane.stored.has(key)) return PERMITTED;
  // An invalid certificate is rejected before the permission to sign is checked.
  const outcome = subresource === 'approval' ? 'forbidden' : 'refused';
  return { outcome, reason: 'no rule allows to act for the signer' };
}

function statusFor(lane: Lane, request: FuzzRequest, access: ResourceAccess, exists: boolean | undefined): Verdict {
  const isMissingNamespace = access.namespace === `${lane.names.prefix}-missing`;
  if (exists === undefined || isMissingNamespace) return PERMITTED;
  const permitted = (...statuses: number[]): Verdict => ({ outcome: 'permitted', statuses });
  switch (access.verb) {
    case 'get':
      return request.method === 'HEAD' ? PERMITTED : exists ? permitted(200) : permitted(404);
    case 'list':
    case 'watch':
      return request.method === 'HEAD' || access.name !== '' ? PERMITTED : permitted(200, 400, 422);
    case 'delete':
      return exists ? permitted(200, 202) : permitted(404);
    case 'deletecollection':
      return permitted(200, 400, 409);
    case 'create':
      return PERMITTED;
    default:
      return exists || request.applies || request.kind?.createOnUpdate === true ? PERMITTED : permitted(404, 422, 400);
  }
}

const FULL_AUTHORITY: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Users cannot grant permissions that they do not have, unless a rule with `escalate` or `bind` allows it. */
function rbacVerdict(
  lane: Lane,
  { rbac: written = {}, kind, applies }: FuzzRequest,
  access: ResourceAccess,
  person: Person,
  exists: boolean | undefined,
): Verdict {
  const { rbac } = lane;
  if (kind === undefined || !RBAC_KINDS.includes(kind) || exists === undefined) return { outcome: 'unclear' };
  if (access.verb === 'patch' && !applies && !exists) return { outcome: 'permitted', statuses: [404] };
  const forbidden: Verdict = { outcome: 'forbidden', reason: 'it would hand out more than its author has' };
  if (kind.kind.endsWith('Binding')) return bindingVerdict(lane, written, kind.namespaced, access, person) ?? forbidden;
  if (rbac.allows(person, { ...access, verb: 'escalate' })) return PERMITTED;
  const key = kind.namespaced ? `${access.namespace}/${access.name}` : access.name;
  const current = access.verb === 'create' ? [] : ((kind.namespaced ? rbac.roles : rbac.clusterRoles).get(key) ?? []);
  const aggregates = written.aggregates === true || rbac.aggregated.has(key);
  const rules = aggregates ? FULL_AUTHORITY : (written.rules ?? current);
  if (rbac.covers(person, access.namespace, rules)) return PERMITTED;
  // A write without changes grants nothing.
  const isSame = written.rules !== undefined && JSON.stringify(written.rules) === JSON.stringify(current);
  return isSame && access.verb !== 'create' ? { outcome: 'unclear' } : forbidden;
}

function bindingVerdict(
  { rbac }: Lane,
  written: RbacWrite,
  namespaced: boolean,
  access: ResourceAccess,
  person: Person,
): Verdict | undefined {
  const key = namespaced ? `${access.namespace}/${access.name}` : access.name;
  const current =
    access.verb === 'create' ? undefined : (namespaced ? rbac.roleBindings : rbac.clusterRoleBindings).get(key);
  const { roleRef } = written.binding ?? current ?? {};
  if (roleRef === undefined) return { outcome: 'unclear' };
  const resource = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (rbac.allows(person, { ...access, verb: 'bind', resource, name: roleRef.name })) return PERMITTED;
  const rules = rbac.referenced(roleRef, access.namespace);
  if (rules === undefined) return { outcome: 'refused', reason: 'the role is not there' };
  return rbac.covers(person, access.namespace, rules) ? PERMITTED : undefined;
}
