import type { SocketEnds } from '#platform/base/socket-owner';
import { Authenticator } from './access/authenticate.ts';
import type { RequestHeaders } from './access/bearer.ts';
import type { SigningKey } from './access/jwt.ts';
import { isLocalProgram } from './access/local-program.ts';
import { type ObjectLookup, ServiceAccountTokens } from './access/service-account-tokens.ts';
import { StaticTokens } from './access/static-tokens.ts';
import type { Backend } from './backend.ts';
import { ADMIN } from './own-users.ts';
import { keyOf } from './resource.ts';

export interface ServerAuthenticationOptions {
  readonly adminToken: string;
  readonly signingKey: SigningKey;
  /** Treats local programs without credentials as the administrator. */
  readonly trustsLocalPrograms: boolean;
}

export interface ServerAuthentication {
  readonly authenticator: Authenticator;
  readonly serviceAccountTokens: ServiceAccountTokens;
}

/** Creates the authentication of a server's clients: tokens of the administrator and of service accounts. */
export function createServerAuthentication(
  backend: Backend,
  options: ServerAuthenticationOptions,
): ServerAuthentication {
  const { clock, random } = backend;
  const serviceAccountTokens = new ServiceAccountTokens({
    key: options.signingKey,
    clock,
    uuid: () => random.uuid(),
    lookup: lookupIn(backend),
  });
  const staticTokens = new StaticTokens();
  staticTokens.add(options.adminToken, ADMIN);
  const unnamed = async (headers: RequestHeaders, ends: SocketEnds) =>
    (await isLocalProgram(headers, ends)) ? ADMIN : undefined;
  const authenticator = new Authenticator({
    staticTokens,
    serviceAccountTokens,
    ...(options.trustsLocalPrograms ? { unnamed } : {}),
  });
  return { authenticator, serviceAccountTokens };
}

const PLURALS = { ServiceAccount: 'serviceaccounts', Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

function lookupIn({ registry, stores, parsed }: Backend): ObjectLookup {
  return (kind, namespace, name) => {
    const resource = registry.find('', 'v1', PLURALS[kind]);
    const entry = resource === undefined ? undefined : stores.main.get(keyOf(resource, namespace, name));
    if (entry === undefined) return undefined;
    const { uid = '', deletionTimestamp } = parsed.get(entry).metadata;
    return { uid, ...(deletionTimestamp === undefined ? {} : { deletedAt: Date.parse(deletionTimestamp) }) };
  };
}
