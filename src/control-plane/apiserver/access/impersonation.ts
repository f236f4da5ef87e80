import { goQuote } from '#platform/base/go-value';
import type { Attributes, Authorize, ResourceAttributes } from './attributes.ts';
import type { RequestHeaders } from './bearer.ts';
import { extraProblem } from './impersonated-extra.ts';
import {
  ANONYMOUS,
  AUTHENTICATED,
  MASTERS,
  NODES,
  serviceAccountGroups,
  splitNode,
  splitServiceAccount,
  UNAUTHENTICATED,
  type User,
} from './user.ts';

/** Holds the user that the headers request, or why they are invalid (a 400). */
export type ImpersonationTarget = { readonly user: User } | { readonly problem: string };

/** Describes one permission that is required; `or` is an alternative; `problem` rejects regardless of roles. */
export interface ImpersonationCheck {
  readonly attributes: Attributes;
  readonly or?: Attributes;
  readonly problem?: string;
}

/**
 * Describes one way to become the other user: it is allowed if all checks pass. `constraint` names it for the audit
 * log.
 */
export interface ImpersonationMode {
  readonly constraint: string;
  readonly checks: readonly ImpersonationCheck[];
  readonly user: User;
}

/** Holds the user that the request continues as, or what was not allowed. */
export type Impersonation =
  | { readonly user: User; readonly constraint: string }
  | { readonly forbidden: Attributes; readonly reason: string };

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const EXTRA_PREFIX = 'impersonate-extra-';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
/** Number of groups or extra values from which on a permission for all of them is checked first. */
const COMBINED_CHECK_THRESHOLD = 4;
const MAX_SENDERS = 4096;

/** Parses the impersonation headers; undefined if there are none. */
export function requestedUser(headers: RequestHeaders): ImpersonationTarget | undefined {
  const name = values(headers['impersonate-user'])[0] ?? '';
  const uid = values(headers['impersonate-uid'])[0] ?? '';
  const groups = values(headers['impersonate-group']);
  // A Map is used first, because a sender may choose any key, including one that every object has.
  const found = new Map<string, string[]>();
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(EXTRA_PREFIX) || value === undefined) continue;
    const key = unescape(header.slice(EXTRA_PREFIX.length));
    found.set(key, [...(found.get(key) ?? []), ...values(value)]);
  }
  const extra = Object.fromEntries(found);
  const hasExtra = found.size > 0;
  if (name === '') {
    if (uid === '' && groups.length === 0 && !hasExtra) return undefined;
    return { problem: `requested ${goUser(uid, groups, extra)} without impersonating a user name` };
  }
  return { user: { name, ...(uid === '' ? {} : { uid }), groups, ...(hasExtra ? { extra } : {}) } };
}

/**
 * Returns the modes in which the sender of the request may become the requested user, in the order in which to try
 * them.
 */
export function impersonationModes(desired: User, request: Attributes): ImpersonationMode[] {
  const { user: sender } = request;
  const onlyName = !desired.uid && desired.groups.length === 0 && !desired.extra;
  const node = splitNode(desired.name);
  const account = splitServiceAccount(desired.name);
  const ways: ImpersonationMode[] = [];
  if (onlyName && node !== undefined) {
    const own = sender.extra?.[NODE_NAME];
    if (splitServiceAccount(sender.name) && own?.length === 1 && own[0] === node)
      ways.push(associatedNode(desired, request));
    ways.push(constrainedMode('arbitrary-node', desired, request));
  }
  if (onlyName && account) ways.push(constrainedMode('serviceaccount', desired, request));
  if (node === undefined && !account) ways.push(constrainedMode('user-info', desired, request));
  ways.push({
    constraint: '',
    checks: identityChecks('impersonate', '', desired, sender),
    user: become(desired, false),
  });
  return ways;
}

/**
 * Lets users act as others. A mode that succeeded for a user is tried first from then on, which only affects the
 * wording of a later denial.
 */
export class Impersonator {
  readonly #authorize: Authorize;
  readonly #lastWay = new Map<string, string>();

  constructor(authorize: Authorize) {
    this.#authorize = authorize;
  }

  /** Uses the first allowed mode; if there is none, returns the first denial. */
  impersonate(desired: User, request: Attributes): Impersonation {
    const sender = request.user.name;
    const last = this.#lastWay.get(sender);
    const ways = impersonationModes(desired, request);
    const before = ways.find(({ constraint }) => constraint === last);
    let rejected: Impersonation | undefined;
    for (const way of before ? [before, ...ways.filter((way) => way !== before)] : ways) {
      const refusal = refusalOf(way, this.#authorize);
      if (!refusal) {
        if (this.#lastWay.size >= MAX_SENDERS) this.#lastWay.clear();
        this.#lastWay.set(sender, way.constraint);
        return { user: way.user, constraint: way.constraint };
      }
      rejected ??= refusal;
    }
    return rejected ?? { forbidden: request, reason: 'all impersonation modes failed' };
  }
}

function refusalOf(way: ImpersonationMode, authorize: Authorize): Impersonation | undefined {
  for (const { attributes, or, problem } of way.checks) {
    if (problem !== undefined) return { forbidden: attributes, reason: problem };
    if (or && authorize(or).allowed) continue;
    const { allowed, reason } = authorize(attributes);
    if (!allowed) return { forbidden: attributes, reason };
  }
  return undefined;
}

/**
 * Returns a mode that requires permission for the action itself (impersonate-on:...) and for the identity
 * (impersonate:...).
 */
function constrainedMode(mode: string, desired: User, request: Attributes): ImpersonationMode {
  const constraint = `impersonate:${mode}`;
  const act: ImpersonationCheck = { attributes: { ...request, verb: `impersonate-on:${mode}:${request.verb}` } };
  const identity = identityChecks(constraint, AUTHENTICATION_GROUP, desired, request.user);
  return { constraint, checks: [act, ...identity], user: become(desired, true) };
}

/**
 * Returns the mode for the node of a ServiceAccount's pod. It checks permission for all nodes at once, without what
 * varies from pod to pod.
 */
function associatedNode(desired: User, request: Attributes): ImpersonationMode {
  const keys = Object.keys(request.user.extra ?? {}).sort();
  const user: User = { ...request.user, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } };
  const way = constrainedMode('associated-node', desired, { ...request, user });
  const checks = way.checks.map(({ attributes }) => ({
    attributes: attributes.verb === way.constraint ? { ...attributes, name: '*' } : attributes,
  }));
  return { ...way, checks };
}

function identityChecks(verb: string, nameGroup: string, desired: User, user: User): ImpersonationCheck[] {
  const strict = nameGroup !== '';
  const ask = (group: string, resource: string, name: string, subresource?: string): ResourceAttributes => ({
    user,
    verb,
    group,
    resource,
    name,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const checks: ImpersonationCheck[] = [{ attributes: nameAttributes(ask(nameGroup, 'users', desired.name), strict) }];
  if (desired.uid) checks.push({ attributes: ask(AUTHENTICATION_GROUP, 'uids', desired.uid) });
  const groupProblem = strict ? problemWithGroups(desired.groups) : undefined;
  if (groupProblem)
    checks.push({ attributes: ask(nameGroup, 'groups', groupProblem.name), problem: groupProblem.problem });
  const manyGroups =
    strict && desired.groups.length >= COMBINED_CHECK_THRESHOLD ? { or: ask(nameGroup, 'groups', '*') } : {};
  for (const group of desired.groups) checks.push({ attributes: ask(nameGroup, 'groups', group), ...manyGroups });
  const problem = strict ? extraProblem(desired.extra ?? {}) : undefined;
  if (problem !== undefined) checks.push({ attributes: ask(AUTHENTICATION_GROUP, 'userextras', ''), problem });
  const extra = Object.entries(desired.extra ?? {});
  const isLarge =
    extra.length >= COMBINED_CHECK_THRESHOLD ||
    extra.reduce((sum, [, list]) => sum + list.length, 0) >= COMBINED_CHECK_THRESHOLD;
  const manyExtra = strict && isLarge ? { or: ask(AUTHENTICATION_GROUP, 'userextras', '*', '*') } : {};
  for (const [key, list] of extra) {
    for (const value of list)
      checks.push({ attributes: ask(AUTHENTICATION_GROUP, 'userextras', value, key), ...manyExtra });
  }
  return checks;
}

/**
 * Returns the attributes of the requested name. ServiceAccounts and (except in the old mode) nodes are checked as such.
 */
function nameAttributes(requested: ResourceAttributes, strict: boolean): ResourceAttributes {
  const name = requested.name ?? '';
  const account = splitServiceAccount(name);
  if (account) return { ...requested, resource: 'serviceaccounts', namespace: account.namespace, name: account.name };
  const node = strict ? splitNode(name) : undefined;
  return node === undefined ? requested : { ...requested, resource: 'nodes', name: node };
}

function problemWithGroups(groups: readonly string[]): { name: string; problem: string } | undefined {
  if (groups.includes('')) return { name: '', problem: 'impersonating the empty string group is not allowed' };
  if (!groups.includes(MASTERS)) return undefined;
  return { name: MASTERS, problem: 'impersonating the system:masters group is not allowed' };
}

/** Returns the requested user with the groups that the server adds. */
function become(desired: User, strict: boolean): User {
  const account = splitServiceAccount(desired.name);
  let groups = [...desired.groups];
  if (strict && splitNode(desired.name) !== undefined) groups = [NODES];
  if (account && groups.length === 0) groups = serviceAccountGroups(account.namespace);
  const missing = desired.name === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED;
  if (!groups.includes(UNAUTHENTICATED) && !groups.includes(missing)) groups.push(missing);
  return { ...desired, groups };
}

function values(header: RequestHeaders[string]): string[] {
  return header === undefined ? [] : [header].flat();
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Formats a user as the server does in this one message, which shows a Go value. */
function goUser(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const strings = (list: readonly string[]): string => `[]string{${list.map(goQuote).join(', ')}}`;
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  const map = entries.map(([key, list]) => `${goQuote(key)}:${strings(list)}`).join(', ');
  const groupText = groups.length > 0 ? strings(groups) : '[]string(nil)';
  const extraText = entries.length > 0 ? `map[string][]string{${map}}` : 'map[string][]string(nil)';
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${groupText}, Extra:${extraText}}`;
}
