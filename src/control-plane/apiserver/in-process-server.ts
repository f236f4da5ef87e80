import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import { ApiServices } from './apiextensions/api-services.ts';
import { bootstrap } from './bootstrap.ts';
import { createBackend } from './create-backend.ts';
import type { ServerHost } from './host.ts';
import type { SubresourceHandler } from './http/resource-handler.ts';
import { systemContext } from './own-users.ts';
import { type ClientFor, createRequestHandler } from './request-handler.ts';
import { addToServer, type ServeOptions } from './server-additions.ts';
import { startCrds } from './start-crds.ts';
import { openMemoryStore } from './store/memory-store.ts';
import { problemOf } from './store-problem.ts';

export interface InProcessServerDeps {
  readonly host: ServerHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** API server in memory that has no port: only clients in the same process reach it. */
export interface InProcessServer {
  readonly client: ClientFor;
  stop(): Promise<void>;
}

/** Server that serves nothing but Kubernetes until `serve` adds to it. */
export interface OpenInProcessServer extends InProcessServer {
  serve(added?: ServeOptions): Promise<InProcessServer>;
}

/** Opens a server with the initial objects of a cluster. It runs wherever JavaScript does. */
export async function openInProcessServer({
  host,
  clock,
  random,
  log,
}: InProcessServerDeps): Promise<OpenInProcessServer> {
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const stores = { main: openMemoryStore({ clock }), events: openMemoryStore({ clock }) };
  const core = createBackend({ stores, host, clock, random, signal });
  const { backend } = core;
  await bootstrap(backend, systemContext(signal));
  startCrds(core, log, signal);
  const subresources = new Map<string, SubresourceHandler>();
  const state = { ready: true, address: '' };
  const storeProblem = () => problemOf(stores);
  const { clientFor } = createRequestHandler({ core, state, storeProblem, subresources, log, signal });
  const server: InProcessServer = {
    client: clientFor,
    async stop() {
      lifetime.abort();
      await Promise.all([host.yaml.close(), host.encoder.close(), stores.main.close(), stores.events.close()]);
    },
  };
  return {
    ...server,
    async serve(added = {}) {
      addToServer({ core, subresources, clientFor, state }, added);
      await new ApiServices({ backend, call: systemContext(signal), log }).start();
      return server;
    },
  };
}
