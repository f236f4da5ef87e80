import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { Authenticator } from './access/authenticate.ts';
import { openSigningKey } from './access/jwt.ts';
import { openPki, type Pki } from './access/pki.ts';
import { type ObjectLookup, ServiceAccountTokens } from './access/service-account-tokens.ts';
import { StaticTokens } from './access/static-tokens.ts';
import { AUTHENTICATED, MASTERS, type User } from './access/user.ts';
import { unauthorized } from './api-error.ts';
import { type Backend, timestamp } from './backend.ts';
import { bootstrap } from './bootstrap.ts';
import { BUILT_IN_GROUPS, builtInResources, type KindParts } from './builtin-resources.ts';
import type { Call } from './call.ts';
import { renameVersion } from './custom/conversion.ts';
import { Definitions } from './custom/definitions.ts';
import type { FieldManagement } from './field-management.ts';
import type { Answer } from './http/answer.ts';
import type { ApiRequest } from './http/api-request.ts';
import { Discovery } from './http/discovery.ts';
import { resourceHandler } from './http/resource-handler.ts';
import { type Route, router } from './http/router.ts';
import { discoveryRoute, healthRoute, versionRoute } from './http/routes.ts';
import { startServer } from './http/server.ts';
import { ParsedObjects } from './object-text.ts';
import { Registry } from './registry.ts';
import { keyOf } from './resource.ts';
import { reviews } from './reviews.ts';
import { indexRoles } from './role-index.ts';
import { openLmdbStore } from './store/lmdb-store.ts';
import { openMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';
import type { Act } from './subresources/act.ts';
import { bind } from './subresources/binding.ts';
import { evict } from './subresources/eviction.ts';
import { issueToken } from './subresources/token.ts';
import { WatchItems } from './verbs/watch-item.ts';

export interface ControlPlaneOptions {
  /** Holds objects, certificates and keys; without one, everything ends with the process. */
  readonly dataDir?: string;
  readonly store?: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  /** 127.0.0.1 where absent. */
  readonly host?: string;
  /** 0, or absent: any free one. */
  readonly port?: number;
  /** Plain HTTP: only where asked for. */
  readonly insecure?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A running control plane. */
export interface ControlPlane {
  readonly url: string;
  readonly port: number;
  readonly pki: Pki;
  readonly backend: Backend;
  stop(): Promise<void>;
}

/** The user that the server itself writes as. */
const SYSTEM: User = { name: 'system:apiserver', groups: [MASTERS, AUTHENTICATED] };

/** Brings up an API server: stores, first objects, access, and the port it listens on. */
export async function startControlPlane(
  options: ControlPlaneOptions,
  parts: KindParts,
  fields: FieldManagement,
): Promise<ControlPlane> {
  const { clock, random, log, host = '127.0.0.1', port = 0 } = options;
  const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), 'vimana-'));
  const stop = new AbortController();
  const pki = openPki({ folder: join(folder, 'pki'), clock, serverNames: [host] });
  const stores = await openStores(options, folder);
  const registry = new Registry();
  registry.add(builtInResources(parts));
  const parsed = new ParsedObjects();
  const backend: Backend = { stores, registry, parsed, admission: [], fields, clock, random };
  await bootstrap(backend, systemCall(stop.signal));
  new Definitions({ backend, call: systemCall(stop.signal), log, converterFor: () => renameVersion }).start();
  const rbac = indexRoles(stores.main, registry, parsed, stop.signal);
  const authorize = rbac.authorize.bind(rbac);
  const items = new WatchItems(parsed);
  const discovery = new Discovery(registry, BUILT_IN_GROUPS);
  let ready = false;
  const routes: Route[] = [healthRoute(() => ready), versionRoute, discoveryRoute(discovery)];
  const serviceAccountTokens = openServiceAccountTokens(backend, folder);
  const authenticator = openAuthenticator(serviceAccountTokens);
  const answers = reviews(rbac, authenticator, () => timestamp(clock));
  const resources = resourceHandler({
    backend,
    items,
    authorize,
    subresources: new Map(),
    acts: actsOf(serviceAccountTokens),
    reviews: answers,
  });
  const onFault = (error: unknown, { method, path }: ApiRequest) =>
    log.error({ method, path, error }, 'request failed');
  const handle: (request: ApiRequest) => Promise<Answer> = router({ authorize, resources, routes, onFault });
  const server = await startServer({
    host,
    port,
    ...(options.insecure === true ? {} : { tls: { ...pki.server, caPem: pki.caPem } }),
    authenticate: async (credentials) => {
      const found = await authenticator.authenticate(credentials as Parameters<Authenticator['authenticate']>[0]);
      if ('user' in found) return found.user;
      log.debug({ why: found.refused }, 'credentials refused');
      throw unauthorized();
    },
    handle,
  });
  ready = true;
  return {
    url: server.url,
    port: server.port,
    pki,
    backend,
    async stop() {
      ready = false;
      await server.close();
      stop.abort();
      await Promise.all([stores.main.close(), stores.events.close()]);
      if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openStores(
  { store = 'memory', durability = 'sync', clock }: ControlPlaneOptions,
  folder: string,
): Promise<{ main: Store; events: Store }> {
  if (store === 'memory') return { main: openMemoryStore({ clock }), events: openMemoryStore({ clock }) };
  const [main, events] = await Promise.all([
    openLmdbStore({ folder: join(folder, 'objects'), durability, clock }),
    // Events tell what happened and are not worth a wait for the disk.
    openLmdbStore({ folder: join(folder, 'events'), durability: 'relaxed', clock }),
  ]);
  return { main, events };
}

function systemCall(signal: AbortSignal): Call {
  return { user: SYSTEM, fieldManager: 'vimana', dryRun: false, fieldValidation: 'Ignore', warnings: [], signal };
}

function openServiceAccountTokens(backend: Backend, folder: string): ServiceAccountTokens {
  const { clock, random } = backend;
  const key = openSigningKey(join(folder, 'pki', 'service-account.key'));
  return new ServiceAccountTokens({ key, clock, uuid: () => random.uuid(), lookup: lookupIn(backend) });
}

function openAuthenticator(serviceAccountTokens: ServiceAccountTokens): Authenticator {
  return new Authenticator({ staticTokens: new StaticTokens(), serviceAccountTokens });
}

function actsOf(tokens: ServiceAccountTokens): ReadonlyMap<string, Act> {
  return new Map([
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
