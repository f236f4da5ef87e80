import { type Clock, realClock } from '#platform/base/clock';
import { type Logger, noopLogger } from '#platform/base/logger';
import { type Random, systemRandom } from '#platform/base/random';
import { isLoopback } from './access/local-program.ts';
import type { Pki } from './access/pki.ts';
import { Aggregator } from './aggregator/aggregator.ts';
import { authenticationConfig, FRONT_PROXY } from './aggregator/authentication-config.ts';
import { ApiServices } from './apiextensions/api-services.ts';
import type { Backend } from './backend.ts';
import { bootstrap } from './bootstrap.ts';
import { createBackend, type ServerCore } from './create-backend.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { ensureObject } from './ensure-object.ts';
import { FlowControl } from './flow-control/flow-control.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import type { SubresourceHandler } from './http/resource-handler.ts';
import { listen } from './listen.ts';
import { nodeHost } from './node-host.ts';
import { systemContext } from './own-users.ts';
import { type ClientFor, createRequestHandler, type ServingState } from './request-handler.ts';
import { addToServer, type ServeOptions } from './server-additions.ts';
import { createServerAuthentication } from './server-authentication.ts';
import { startCrds } from './start-crds.ts';
import { problemOf } from './store-problem.ts';
import { servePodConnection } from './streaming/serve-pod-connection.ts';

export type { ServeOptions } from './server-additions.ts';

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
  /** IPv4 CIDR of the addresses of Services. Defaults to 10.96.0.0/16. It cannot change later. */
  readonly serviceClusterIpRange?: string;
  /** Serves plain HTTP. Disabled unless requested. */
  readonly insecure?: boolean;
  /**
   * Treats local programs of our user without credentials as the administrator, if the server listens on loopback and
   * by plain HTTP only: kubectl never sends credentials there.
   */
  readonly trustsLocalPrograms?: boolean;
  /** Receives one line of JSON for every request. If absent, there is no audit log. */
  readonly audit?: (line: string) => void;
  /** Defaults to the real clock. */
  readonly clock?: Clock;
  /** Defaults to the random source of the system. */
  readonly random?: Random;
  /** If absent, nothing is logged. */
  readonly log?: Logger;
}

interface ControlPlaneAccess {
  readonly pki: Pki;
  /** Token for clients that cannot present a certificate. */
  readonly adminToken: string;
  readonly backend: Backend;
  /** Returns an in-process client that acts as a user, by default the administrator. */
  readonly client: ClientFor;
  /** Returns the reason why the store currently rejects writes, if it does. */
  storeProblem(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/**
 * Control plane that does not listen yet. Its clients work, so that additions can be created from them, but their
 * writes pass only the admission of Kubernetes until `serve` adds the plugins.
 */
export interface OpenControlPlane extends ControlPlaneAccess {
  /** Adds to the server, and listens. If that fails, the control plane is stopped. */
  serve(added?: ServeOptions): Promise<ControlPlane>;
}

/** Control plane that listens. */
export interface ControlPlane extends ControlPlaneAccess {
  readonly url: string;
  readonly port: number;
}

/** Opens a control plane and serves it at once, for programs whose additions need no client of it. */
export async function startControlPlane(options: ControlPlaneOptions & ServeOptions = {}): Promise<ControlPlane> {
  const opened = await openControlPlane(options);
  return await opened.serve(options);
}

/** Opens a control plane: its stores, initial objects and access control. */
export async function openControlPlane(options: ControlPlaneOptions = {}): Promise<OpenControlPlane> {
  const { clock = realClock, random = systemRandom(), log = noopLogger, host = '127.0.0.1' } = options;
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const data = await openDataDirectory({ ...options, host, clock, log });
  const core = await closeOnError(data, () =>
    createBackend({ ...options, stores: data.stores, host: nodeHost(clock, signal), clock, random, signal }),
  );
  await bootstrap(core.backend, systemContext(signal));
  data.recordBootstrapped();
  startCrds(core, log, signal);
  const server = createServerParts(core, data, { ...options, host, log }, signal);
  const opened: ControlPlaneAccess = {
    pki: data.pki,
    adminToken: data.adminToken,
    backend: core.backend,
    client: server.clientFor,
    storeProblem: server.storeProblem,
    async stop() {
      lifetime.abort();
      await Promise.all([core.backend.yaml.close(), core.backend.encoder.close(), data.close()]);
    },
  };
  return { ...opened, serve: (added = {}) => serve(opened, server, added) };
}

/** Closes the data directory if the server cannot be created from it. */
async function closeOnError<T>(data: DataDirectory, create: () => T): Promise<T> {
  try {
    return create();
  } catch (error) {
    await data.close();
    throw error;
  }
}

type ServerParts = ReturnType<typeof createServerParts>;

/** Creates what handles requests, and what listening for them requires. */
function createServerParts(
  core: ServerCore,
  data: DataDirectory,
  options: ControlPlaneOptions & { readonly host: string; readonly log: Logger },
  signal: AbortSignal,
) {
  const { host, log, trustsLocalPrograms = false, insecure = false } = options;
  const { backend, thread } = core;
  const { stores, registry, clock } = backend;
  const authentication = createServerAuthentication(backend, {
    adminToken: data.adminToken,
    signingKey: data.signingKey,
    trustsLocalPrograms: trustsLocalPrograms && insecure && isLoopback(host),
  });
  const flowControl = new FlowControl(clock, thread);
  const metrics = new RequestMetrics({
    revision: () => stores.main.revision,
    flow: () => flowControl.status,
    registry,
  });
  const state: ServingState = { ready: false, address: '' };
  const subresources = new Map<string, SubresourceHandler>();
  const storeProblem = () => problemOf(stores);
  const shared = { core, authentication, metrics, state, subresources, storeProblem, log, signal };
  return { ...shared, ...createRequestHandler(shared), options, flowControl };
}

/** Adds to the server, and listens. */
async function serve(opened: ControlPlaneAccess, server: ServerParts, added: ServeOptions): Promise<ControlPlane> {
  const { core, state, log, signal } = server;
  const { backend } = core;
  try {
    addToServer({ ...server, servePod: servePodConnection }, added);
    const call = systemContext(signal);
    await new ApiServices({ backend, call, log }).start();
    await ensureObject(backend, call, '', 'configmaps', authenticationConfig(opened.pki.caPem));
    const credentials = () => opened.pki.clientCertificate({ user: FRONT_PROXY });
    new Aggregator({ backend, call, credentials, clock: backend.clock, log }).start();
    const { authenticator } = server.authentication;
    const listening = await listen(server.options, {
      ...server,
      backend,
      authenticator,
      pki: opened.pki,
      serviceRange: core.serviceRange,
    });
    return {
      ...opened,
      url: listening.url,
      port: listening.port,
      async stop() {
        state.ready = false;
        await listening.close();
        await opened.stop();
      },
    };
  } catch (error) {
    await opened.stop();
    throw error;
  }
}
