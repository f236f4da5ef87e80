import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { clientOver } from '#platform/kube/http/wire-client';
import type { Authenticator } from './access/authenticate.ts';
import type { User } from './access/user.ts';
import { timestamp } from './backend.ts';
import { BUILT_IN_GROUPS } from './builtin-resources.ts';
import type { ServerCore } from './create-backend.ts';
import type { ApiRequest } from './http/api-request.ts';
import { Discovery } from './http/discovery.ts';
import { openidRoute } from './http/openid-route.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import { type Advise, resourceHandler, type SubresourceHandler } from './http/resource-handler.ts';
import type { HttpResponse } from './http/response.ts';
import { type Route, router } from './http/router.ts';
import { discoveryRoute, healthRoute, versionRoute } from './http/routes.ts';
import { inProcessClient } from './in-process-client.ts';
import { inProcessWire } from './in-process-wire.ts';
import { openApiRoute } from './openapi/route.ts';
import { ADMIN } from './own-users.ts';
import { reviews } from './reviews.ts';
import type { ServerAuthentication } from './server-authentication.ts';
import { StoreError } from './store/store-error.ts';
import { bind, bindNamed } from './subresources/binding.ts';
import { evict } from './subresources/eviction.ts';
import { issueToken } from './subresources/token.ts';
import { WatchItems } from './verbs/watch-item.ts';

/** State that changes once the server listens, and again when it stops. */
export interface ServingState {
  ready: boolean;
  /** URL at which clients reach the server. Empty until it listens. */
  address: string;
  /** Warnings of the program that runs the server. */
  advise?: Advise;
}

export interface RequestHandlerDeps {
  readonly core: ServerCore;
  /** Authentication of clients. Without it, the server issues and reviews no tokens. */
  readonly authentication?: ServerAuthentication;
  /** If absent, requests are not measured. */
  readonly metrics?: Pick<RequestMetrics, 'route'>;
  readonly state: Readonly<ServingState>;
  /** Returns why the store rejects writes, if it does. */
  readonly storeProblem: () => Promise<string | undefined>;
  /** Subresources that a node runtime serves, by `group/plural/subresource`. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  readonly log: Logger;
  /** Ends requests of in-process clients. */
  readonly signal: AbortSignal;
}

/** Returns an in-process client that acts as a user, by default the administrator. */
export type ClientFor = (user?: User, fieldManager?: string) => Client;

export interface RequestHandler {
  readonly handle: (request: ApiRequest) => Promise<HttpResponse>;
  readonly clientFor: ClientFor;
}

/** Creates the handler of all requests, and clients that call it without HTTP. */
export function createRequestHandler(deps: RequestHandlerDeps): RequestHandler {
  const { core, authentication, subresources, state, log, signal } = deps;
  const { backend, rbac } = core;
  const { authorize, clock, random } = backend;
  const items = new WatchItems(backend.parsed);
  const acts = new Map([
    ['/bindings', bindNamed],
    ['/pods/binding', bind],
    ['/pods/eviction', evict],
  ]);
  if (authentication !== undefined) {
    acts.set('/serviceaccounts/token', issueToken(authentication.serviceAccountTokens));
  }
  const access = { authorize, rulesFor: rbac.rulesFor.bind(rbac) };
  const answers = reviews(access, authentication?.authenticator ?? NO_TOKENS, () => timestamp(clock));
  const resources = resourceHandler({
    backend,
    items,
    authorize,
    subresources,
    acts,
    reviews: answers,
    advise: (...sent) => state.advise?.(...sent),
  });
  const handle = router({
    authorize,
    resources,
    routes: routesOf(deps),
    encoder: backend.encoder,
    onFault: faultLogger(log),
  });
  return {
    handle,
    clientFor(user = ADMIN, fieldManager = 'vimana') {
      const wire = inProcessWire({ handle, user, userAgent: fieldManager, signal });
      const remote = clientOver(wire, { clock, random });
      return inProcessClient({ backend, items, authorize, acts, user, fieldManager, remote });
    },
  };
}

/** Reviews tokens where none are issued. */
const NO_TOKENS: Pick<Authenticator, 'review'> = { review: async () => ({ user: {}, error: 'invalid bearer token' }) };

function routesOf({ core, authentication, metrics, state, storeProblem }: RequestHandlerDeps): readonly Route[] {
  const { backend } = core;
  return [
    healthRoute(async () => (state.ready ? await storeProblem() : 'not ready')),
    versionRoute,
    ...(metrics === undefined ? [] : [metrics.route]),
    discoveryRoute(new Discovery(backend.registry, BUILT_IN_GROUPS)),
    openApiRoute(backend, core.host.digest),
    ...(authentication === undefined ? [] : [openidRoute(authentication.serviceAccountTokens, () => state.address)]),
  ];
}

function faultLogger(log: Logger) {
  return (error: unknown, { method, path }: ApiRequest): void => {
    // That the store rejects writes is logged once elsewhere.
    if (error instanceof StoreError && error.code === 'Unavailable') return;
    log.error({ method, path, error }, 'request failed');
  };
}
