import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';

/**
 * Identifies the sender of a request. `groups` contains system:authenticated or system:unauthenticated, whichever
 * applies.
 */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** Group whose members may do everything, regardless of roles. */
export const MASTERS = 'system:masters';
export const NODES = 'system:nodes';

/** User of requests without credentials. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

/** Returns the user name of a ServiceAccount. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`;
}

/** Returns the groups of every ServiceAccount of the namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Returns the ServiceAccount of a user name, if it is one. */
export function splitServiceAccount(userName: string): { namespace: string; name: string } | undefined {
  if (!userName.startsWith(SERVICE_ACCOUNT_PREFIX)) return undefined;
  const [namespace = '', name = '', ...rest] = userName.slice(SERVICE_ACCOUNT_PREFIX.length).split(':');
  if (rest.length > 0 || dns1123LabelProblems(namespace).length > 0 || !isSubdomain(name)) return undefined;
  return { namespace, name };
}

/** Returns the node of a user name, if it is one. */
export function splitNode(userName: string): string | undefined {
  const prefix = 'system:node:';
  const name = userName.slice(prefix.length);
  return userName.startsWith(prefix) && isSubdomain(name) ? name : undefined;
}

function isSubdomain(name: string): boolean {
  return dns1123SubdomainProblems(name).length === 0;
}
