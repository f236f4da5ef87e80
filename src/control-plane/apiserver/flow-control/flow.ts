import { MASTERS, splitServiceAccount, type User } from '../access/user.ts';

const PROBES = ['/healthz', '/livez', '/readyz'];
const SYSTEM_NAMESPACE = 'kube-system';

/**
 * Returns the flow of a request: requests of one flow wait for each other, those of several flows share fairly. Returns
 * undefined for requests that never wait: those of probes and of administrators, who must get in when nobody else does.
 */
export function flowOf(user: User, path = ''): string | undefined {
  if (user.groups.includes(MASTERS) || isProbe(path)) return undefined;
  const account = splitServiceAccount(user.name);
  // A user who may create service accounts in a namespace would otherwise get a share of the server with each of them.
  if (account !== undefined && account.namespace !== SYSTEM_NAMESPACE) return `namespace ${account.namespace}`;
  return `user ${user.name}`;
}

function isProbe(path: string): boolean {
  return PROBES.some((probe) => path === probe || path.startsWith(`${probe}/`));
}
