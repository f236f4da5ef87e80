import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, realClock } from '#platform/base/clock';
import { type Logger, noopLogger } from '#platform/base/logger';
import { type Random, systemRandom } from '#platform/base/random';
import type { SocketEnds } from '#platform/base/socket-owner';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { clientOver } from '#platform/kube/http/http-client';
import type { NodeRuntime } from '#platform/kube/node-runtime';
import { Authenticator } from './access/authenticate.ts';
import type { RequestHeaders } from './access/bearer.ts';
import { openSigningKey } from './access/jwt.ts';
import { isLocalProgram, isLoopback } from './access/local-program.ts';
import { openPki, type Pki } from './access/pki.ts';
import { type ObjectLookup, ServiceAccountTokens } from './access/service-account-tokens.ts';
import { openAdminToken, StaticTokens } from './access/static-tokens.ts';
import { AUTHENTICATED, MASTERS, type User } from './access/user.ts';
import { admissionChain } from './admission/chain.ts';
import { DEFAULT_RANGES } from './admission/services/service-network.ts';
import type { AddPlugins } from './admission-plugin.ts';
import { unauthorized } from './api-error.ts';
import { ApiServices } from './apiextensions/api-services.ts';
import { converters } from './apiextensions/converters.ts';
import { Crds } from './apiextensions/crds.ts';
import { type Backend, timestamp } from './backend.ts';
import { checkRestored } from './backup/restore-data.ts';
import { bootstrap } from './bootstrap.ts';
import { BUILT_IN_GROUPS, builtInResources } from './builtin-resources.ts';
import { openEvents } from './event-store.ts';
import { FieldManagement } from './field-management.ts';
import { CommitShare } from './flow-control/commit-share.ts';
import { FlowControl } from './flow-control/flow-control.ts';
import { ThreadShare } from './flow-control/thread-share.ts';
import type { ApiRequest } from './http/api-request.ts';
import { auditLine } from './http/audit-log.ts';
import { Discovery } from './http/discovery.ts';
import { openidRoute } from './http/openid-route.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { resourceHandler } from './http/resource-handler.ts';
import type { HttpResponse } from './http/response.ts';
import { type Route, router } from './http/router.ts';
import { discoveryRoute, healthRoute, versionRoute } from './http/routes.ts';
import { startServer } from './http/server.ts';
import { YamlReader } from './http/yaml-reader.ts';
import { inProcessClient } from './in-process-client.ts';
import { inProcessWire } from './in-process-wire.ts';
import { kindParts } from './kind-parts.ts';
import { openApiRoute } from './openapi/route.ts';
import { publishOwnService } from './own-service.ts';
import { ParsedObjects } from './parsed-objects.ts';
import { keepPrivate } from './private-data.ts';
import { Registry } from './registry.ts';
import type { RequestContext } from './request-context.ts';
import { keyOf, type Resource } from './resource.ts';
import { reviews } from './reviews.ts';
import { indexRoles } from './role-index.ts';
import { openLmdbStore } from './store/lmdb-store.ts';
import { openMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';
import { StoreError } from './store/store-error.ts';
import { FIRST_REVISION } from './store/timeline.ts';
import { storePlaces } from './store-places.ts';
import { assertStorePresent, assertStoreReached, recordReached } from './store-witness.ts';
import { bind, bindNamed } from './subresources/binding.ts';
import { evict } from './subresources/eviction.ts';
import { podLog } from './subresources/log.ts';
import type { SubresourceAction } from './subresources/subresource-action.ts';
import { issueToken } from './subresources/token.ts';
import { WatchItems } from './verbs/watch-item.ts';

export interface ControlPlaneOptions {
  /** Directory of objects, certificates and keys. Without one, everything is lost when the process ends. */
  readonly dataDir?: string;
  readonly store?: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  /** Host to listen on. Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on. Defaults to 0, any free port. */
  readonly port?: number;
  /**
   * Address at which other hosts reach the server, published by the service `kubernetes`. If absent, none is published.
   */
  readonly advertised?: string;
  /** Serves plain HTTP. Disabled unless requested. */
  readonly insecure?: boolean;
  /**
   * Treats local programs of our user without credentials as the administrator, if the server listens on loopback and
   * by plain HTTP only: kubectl never sends credentials there.
   */
  readonly trustsLocalPrograms?: boolean;
  /** Admission plugins in addition to those of Kubernetes. */
  readonly plugins?: AddPlugins;
  /** API groups that are served by code in this process, after authorization. Those that use this API get clients. */
  readonly extensions?:
    | readonly ApiExtension[]
    | ((clientFor: ControlPlane['client']) => Promise<readonly ApiExtension[]> | readonly ApiExtension[]);
  /** Runtime of pods. Without it, requests for pod logs are rejected. */
  readonly nodeRuntime?: NodeRuntime;
  /** Receives one line of JSON for every request. If absent, there is no audit log. */
  readonly audit?: (line: string) => void;
  /** Defaults to the real clock. */
  readonly clock?: Clock;
  /** Defaults to the random source of the system. */
  readonly random?: Random;
  /** If absent, nothing is logged. */
  readonly log?: Logger;
}

export interface ControlPlane {
  readonly url: string;
  readonly port: number;
  readonly pki: Pki;
  /** Token for clients that cannot present a certificate. */
  readonly adminToken: string;
  readonly backend: Backend;
  /** Returns an in-process client that acts as a user, by default the administrator. */
  client(user?: User, fieldManager?: string): Client;
  /** Returns the reason why the store currently rejects writes, if it does. */
  storeProblem(): Promise<string | undefined>;
  stop(): Promise<void>;
}

const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS] };
/** User that the server itself writes as. */
const SYSTEM: User = { name: 'system:apiserver', groups: [MASTERS, AUTHENTICATED] };

/** Starts an API server: stores, initial objects, access control, and the port it listens on. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { clock = realClock, random = systemRandom(), log = noopLogger, host = '127.0.0.1', port = 0 } = options;
  const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), 'vimana-'));
  const stop = new AbortController();
  keepPrivate(folder);
  checkRestored(folder);
  const pki = openPki({ folder: join(folder, 'pki'), clock, serverNames: [host] });
  const stores = await openStores(options, folder, clock, log);
  const registry = new Registry();
  registry.add(builtInResources(kindParts));
  const parsed = new ParsedObjects();
  const rbac = indexRoles(stores.main, registry, parsed, stop.signal);
  const authorize = rbac.authorize.bind(rbac);
  const thread = new ThreadShare(clock);
  const backend: Backend = {
    stores,
    registry,
    parsed,
    admission: admissionChain({
      source: { store: stores.main, registry, parsed },
      clock,
      random: random.fork('admission'),
      access: { authorize, rulesFor: rbac.rulesFor.bind(rbac), rulesOf: rbac.rulesOf.bind(rbac) },
      ...(options.plugins === undefined ? {} : { plugins: options.plugins }),
      client: (user) => clientFor(user),
      signal: stop.signal,
    }),
    authorize,
    fields: new FieldManagement((resource) => versionsOf(registry, resource)),
    clock,
    random,
    thread,
    commits: new CommitShare(clock),
    yaml: new YamlReader(clock),
  };
  await bootstrap(backend, systemCall(stop.signal));
  if (options.store === 'lmdb') {
    // Without flushes, all that is certain after a power cut is that there were objects.
    recordReached(folder, options.durability === 'relaxed' ? FIRST_REVISION : stores.main.revision);
  }
  const converterFor = converters({
    source: { store: stores.main, registry, parsed },
    clock,
    random: random.fork('conversion'),
    signal: stop.signal,
  });
  new Crds({ backend, call: systemCall(stop.signal), log, converterFor }).start();
  const items = new WatchItems(parsed);
  const discovery = new Discovery(registry, BUILT_IN_GROUPS);
  let ready = false;
  const storeProblem = async (): Promise<string | undefined> => {
    const [main, events] = await Promise.all([stores.main.problem(), stores.events.problem()]);
    const problem = main ?? events;
    // Anyone may read this, but the location of the data concerns only some users.
    return problem === undefined ? undefined : problem.cause instanceof Error ? problem.cause.message : problem.message;
  };
  const notReady = async () => (ready ? await storeProblem() : 'not ready');
  let address = '';
  const serviceAccountTokens = openServiceAccountTokens(backend, folder);
  const flowControl = new FlowControl(clock, thread);
  const metrics = new RequestMetrics({
    revision: () => stores.main.revision,
    flow: () => flowControl.status,
    registry,
  });
  const routes: Route[] = [
    healthRoute(notReady),
    versionRoute,
    metrics.route,
    discoveryRoute(discovery),
    openApiRoute(backend),
    openidRoute(serviceAccountTokens, () => address),
  ];
  const adminToken = openAdminToken(join(folder, 'pki', 'admin.token'));
  const trusting = options.trustsLocalPrograms === true && options.insecure === true && isLoopback(host);
  const authenticator = openAuthenticator(serviceAccountTokens, adminToken, trusting);
  const answers = reviews(rbac, authenticator, () => timestamp(clock));
  const acts = actsOf(serviceAccountTokens);
  const resources = resourceHandler({
    backend,
    items,
    authorize,
    subresources: new Map(
      options.nodeRuntime === undefined ? [] : [['/pods/log', podLog(backend, options.nodeRuntime)]],
    ),
    acts,
    reviews: answers,
  });
  const onFault = (error: unknown, { method, path }: ApiRequest) => {
    // That the store rejects writes is logged once elsewhere.
    if (error instanceof StoreError && error.code === 'Unavailable') return;
    log.error({ method, path, error }, 'request failed');
  };
  const handle: (request: ApiRequest) => Promise<HttpResponse> = router({ authorize, resources, routes, onFault });
  const clientFor: ControlPlane['client'] = (user = ADMIN, fieldManager = 'vimana') => {
    const wire = inProcessWire({ handle, user, userAgent: fieldManager, signal: stop.signal });
    const remote = clientOver(wire, { clock, random });
    return inProcessClient({ backend, items, authorize, acts, user, fieldManager, remote });
  };
  const { extensions = [] } = options;
  registry.extend(typeof extensions === 'function' ? await extensions(clientFor) : extensions);
  await new ApiServices({ backend, call: systemCall(stop.signal), log }).start();
  const names = random.fork('requests');
  const server = await startServer({
    host,
    port,
    ...(options.insecure === true ? {} : { tls: { ...pki.server, caPem: pki.caPem } }),
    authenticate: async (credentials) => {
      const found = await authenticator.authenticate(credentials);
      if ('user' in found) return found.user;
      log.debug({ why: found.refused }, 'credentials refused');
      throw unauthorized();
    },
    handle,
    flowControl,
    clock,
    uuid: () => names.uuid(),
    onRequest: (finished) => {
      metrics.record(finished);
      options.audit?.(auditLine(finished, new Date(clock.now()).toISOString()));
    },
  });
  address = options.advertised === undefined ? server.url : `https://${options.advertised}:${server.port}`;
  await publishOwnService(backend, systemCall(stop.signal), {
    serviceRange: DEFAULT_RANGES.addresses,
    port: server.port,
    ...(options.advertised === undefined ? {} : { advertised: options.advertised }),
  });
  ready = true;
  return {
    url: server.url,
    port: server.port,
    pki,
    adminToken,
    backend,
    client: clientFor,
    storeProblem,
    async stop() {
      ready = false;
      await server.close();
      stop.abort();
      await Promise.all([stores.main.close(), stores.events.close(), backend.yaml.close()]);
      if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function* versionsOf(registry: Registry, { group, plural }: Resource): Generator<Resource> {
  for (const resource of registry.all()) if (resource.group === group && resource.plural === plural) yield resource;
}

async function openStores(
  { store = 'memory', durability = 'sync' }: ControlPlaneOptions,
  folder: string,
  clock: Clock,
  log: Logger,
): Promise<{ main: Store; events: Store }> {
  if (store === 'memory') return { main: openMemoryStore({ clock }), events: openMemoryStore({ clock }) };
  const onProblem = (problem: Error | undefined) => {
    if (problem === undefined) log.warn('the store takes writes again');
    else log.error({ problem: problem.message }, 'the store takes no writes; reads go on, and /readyz fails');
  };
  assertStorePresent(folder);
  const main = await openLmdbStore({ ...storePlaces(folder).objects, durability, clock, onProblem });
  try {
    assertStoreReached(folder, main.revision);
    return { main, events: await openEvents(folder, clock, log, onProblem) };
  } catch (error) {
    await main.close();
    throw error;
  }
}

function systemCall(signal: AbortSignal): RequestContext {
  return { user: SYSTEM, fieldManager: 'vimana', dryRun: false, fieldValidation: 'Ignore', warnings: [], signal };
}

function openServiceAccountTokens(backend: Backend, folder: string): ServiceAccountTokens {
  const { clock, random } = backend;
  const key = openSigningKey(join(folder, 'pki', 'service-account.key'));
  return new ServiceAccountTokens({ key, clock, uuid: () => random.uuid(), lookup: lookupIn(backend) });
}

function openAuthenticator(
  serviceAccountTokens: ServiceAccountTokens,
  adminToken: string,
  trusting: boolean,
): Authenticator {
  const staticTokens = new StaticTokens();
  staticTokens.add(adminToken, ADMIN);
  const unnamed = async (headers: RequestHeaders, ends: SocketEnds) =>
    (await isLocalProgram(headers, ends)) ? ADMIN : undefined;
  return new Authenticator({ staticTokens, serviceAccountTokens, ...(trusting ? { unnamed } : {}) });
}

function actsOf(tokens: ServiceAccountTokens): ReadonlyMap<string, SubresourceAction> {
  return new Map([
    ['/bindings', bindNamed],
    ['/pods/binding', bind],
    ['/pods/eviction', evict],
    ['/serviceaccounts/token', issueToken(tokens)],
  ]);
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
