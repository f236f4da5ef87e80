import { readFileSync } from 'node:fs';
import { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { exporterRoutes } from '#fleet/exporter/routes';
import { PodManager } from '#fleet/library/pod-manager';
import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { startHttpServer } from '#platform/runtime/http/http-server';
import { startInMemory } from '#testing/embedded-in-memory';

export const namespace = 'default';
export const TIMEOUT = { timeout: 60_000, interval: 100 };
export const SAMPLES = readFileSync(
  new URL('../../examples/simulation/sample_scenarios.json', import.meta.url),
  'utf8',
);
/** Has exactly the permissions of an exporter. */
const EXPORTER = {
  name: 'system:serviceaccount:vimana-system:vimana-exporter',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:vimana-system', 'system:authenticated'],
};

/** Fields that a response may have. */
interface Answer {
  readonly results: readonly object[];
  readonly causes: readonly { readonly message: string }[];
  readonly unschedulable: readonly { readonly error: string }[];
  readonly nodes: readonly {
    readonly name: string;
    readonly cpu_usage: number;
    readonly vms: readonly { readonly id: string }[];
  }[];
}

export type ExporterWorld = Awaited<ReturnType<typeof startExporterWorld>>;

/** Twelve nodes in memory and an exporter. */
export async function startExporterWorld() {
  let requests = 0;
  const embedded = await startInMemory({ dialects: ['simulation'], pools: [{ count: 12 }] });
  const client = counting(embedded.plane.client(EXPORTER, 'vimana-exporter'), () => requests++);
  const { informers, admin } = embedded;
  const manager = new PodManager({ client, namespace });
  const fleet = new ClusterFleet({ client, informers, clock: realClock, pods: manager, namespace });
  await fleet.synced();
  const server = await startHttpServer({ port: 0, clock: realClock, log: noopLogger, routes: exporterRoutes(fleet) });
  return {
    embedded,
    url: server.url,
    /** Number of requests that the exporter has sent. */
    requests: () => requests,
    ask: async (path: string, body?: unknown) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(`${server.url}${path}`, body === undefined ? {} : { method: 'POST', body: text });
      return { status: answer.status, body: (await answer.json()) as Answer };
    },
    metricsText: async () => await (await fetch(`${server.url}/metrics`)).text(),
    vms: async () => (await admin.list(SIMULATED_VMS, { namespace })).items,
    pods: async () => (await admin.list(PODS, { namespace })).items,
    async stop() {
      await server.close();
      await embedded.stop();
    },
  };
}

/** A client that reports every request. */
function counting(client: Client, tell: () => void): Client {
  return new Proxy(client, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        tell();
        return Reflect.apply(method, target, args) as unknown;
      };
    },
  });
}
