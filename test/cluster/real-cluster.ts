import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '#platform/base/clock';
import type { HttpClient } from '#platform/kube/http/http-client';
import { Access } from './access.ts';
import { type Assets, findAssets, missingAssets } from './assets.ts';
import { clientOf } from './client-of.ts';
import type { Component } from './component.ts';
import { makeCredentials } from './credentials.ts';
import { createNodes, nodesReady } from './nodes.ts';
import { freePorts } from './ports.ts';
import { apiServer, controllerManager, etcd, kwok, type Place, scheduler } from './programs.ts';
import { startStorage } from './storage.ts';

export interface RealClusterOptions {
  /** Number of nodes that KWOK simulates. Defaults to none. */
  readonly nodes?: number;
  /** Prefix of their names. */
  readonly nodePrefix?: string;
  /** Whether KWOK runs. Defaults to true if there are nodes. */
  readonly kwok?: boolean;
  /** Whether kube-controller-manager runs, with storage classes and their volumes. Defaults to true. */
  readonly controllerManager?: boolean;
  /** Whether kube-scheduler runs. Defaults to true. */
  readonly scheduler?: boolean;
  readonly schedulerFlags?: readonly string[];
  /** Configuration of kube-scheduler besides its connection. */
  readonly schedulerSettings?: object;
  readonly apiServerFlags?: readonly string[];
  /** Whether requests are recorded in `auditLog`. */
  readonly audit?: boolean;
}

/** etcd, kube-apiserver with RBAC, and the requested programs, on their own loopback ports. */
export interface RealCluster {
  readonly url: string;
  readonly caPem: string;
  /** Directory of the logs. Deleted with the cluster. */
  readonly folder: string;
  /** Path of a kubeconfig with all permissions. */
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly binaries: Assets;
  /** Programs, each of which can be stopped and restarted, and has a log. */
  readonly etcd: Component;
  readonly apiServer: Component;
  readonly controllerManager: Component;
  readonly scheduler: Component;
  readonly kwok: Component;
  /** Creates a client, which is closed with the cluster. It has all permissions if no token is given. */
  client(token?: string): Promise<HttpClient>;
  /** Creates a kubeconfig with a token and returns its path. */
  kubeconfigFor(token: string, namespace?: string): string;
  /** Creates a token of an existing ServiceAccount. */
  tokenFor(account: { readonly namespace: string; readonly name: string }): Promise<string>;
  /** Stops the API server, starts it again after a while, and waits until it is ready. */
  restartApiServer(options?: RestartOptions): Promise<void>;
  restartEtcd(options?: RestartOptions): Promise<void>;
  /** Resolves when the API server is ready. */
  ready(): Promise<void>;
  /** Registers an action to run before the cluster is stopped. */
  onStop(act: () => Promise<void>): void;
  /** Stops everything and deletes its files. */
  stop(): Promise<void>;
}

export interface RestartOptions {
  readonly how?: 'gently' | 'at once';
  readonly downMs?: number;
}

const READY_WITHIN = 120_000;

/** Starts a real control plane. The programs must exist: see `missingAssets`. */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const binaries = findAssets();
  if (binaries === undefined) throw new Error(`these programs are missing: ${missingAssets().join(', ')}`);
  const place: Place = { binaries, folder: mkdtempSync(join(tmpdir(), 'vimana-cluster-')) };
  const cluster = await controlPlane(place, options);
  try {
    await start(cluster, options);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function start(cluster: RealCluster, options: RealClusterOptions): Promise<void> {
  const { nodes = 0, kwok: played = nodes > 0 } = options;
  cluster.etcd.start();
  cluster.apiServer.start();
  await cluster.ready();
  const client = await cluster.client();
  if (options.scheduler !== false) cluster.scheduler.start();
  if (options.controllerManager !== false) {
    cluster.controllerManager.start();
    cluster.onStop(await startStorage(client));
  }
  if (played) cluster.kwok.start();
  await createNodes(client, nodes, options.nodePrefix);
  if (played) await nodesReady(client, READY_WITHIN);
}

async function controlPlane(place: Place, options: RealClusterOptions): Promise<RealCluster> {
  const { binaries, folder } = place;
  const [etcdPort = 0, peer = 0, port = 0] = await freePorts(3);
  const url = `https://127.0.0.1:${port}`;
  const credentials = makeCredentials(folder);
  const access = new Access({ url, folder, pki: credentials.pki });
  const auditLog = join(folder, 'audit.log');
  const first: (() => Promise<void>)[] = [];

  const cluster: RealCluster = {
    url,
    caPem: credentials.pki.caPem,
    folder,
    kubeconfig: access.kubeconfig,
    auditLog,
    binaries,
    etcd: etcd(place, { client: etcdPort, peer }),
    apiServer: apiServer(place, {
      port,
      etcdPort,
      flags: [...credentials.apiServerFlags, ...(options.apiServerFlags ?? [])],
      ...(options.audit === true ? { auditLog } : {}),
    }),
    controllerManager: controllerManager(
      place,
      access.certified('system:kube-controller-manager'),
      credentials.controllerManagerFlags,
    ),
    scheduler: scheduler(
      place,
      access.certified('system:kube-scheduler'),
      options.schedulerFlags,
      options.schedulerSettings,
    ),
    kwok: kwok(place, access.kubeconfig),
    client: (token) => access.client(token),
    kubeconfigFor: (token, namespace) => access.kubeconfigFor(token, namespace),
    tokenFor: (account) => access.tokenFor(account),
    restartApiServer: (restart) => restarted(cluster, cluster.apiServer, restart),
    restartEtcd: (restart) => restarted(cluster, cluster.etcd, restart),
    ready: () => ready(cluster),
    onStop: (act) => void first.push(act),
    async stop() {
      for (const end of first) await end().catch(() => {});
      await access.close();
      const { kwok: nodes, scheduler: placing, controllerManager: controllers, apiServer: api, etcd: store } = cluster;
      // The programs are killed, because nothing that they would save is needed.
      await Promise.all([nodes, placing, controllers, api, store].map((program) => program.stop('at once')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return cluster;
}

async function restarted(
  cluster: RealCluster,
  component: Component,
  { how = 'gently', downMs = 0 }: RestartOptions = {},
): Promise<void> {
  await component.stop(how);
  await realClock.sleep(downMs);
  component.start();
  await cluster.ready();
}

async function ready({ kubeconfig, etcd: store, apiServer: api }: RealCluster): Promise<void> {
  const client = await clientOf(kubeconfig);
  const until = realClock.monotonic() + READY_WITHIN;
  try {
    for (;;) {
      const answer = await client.raw('/readyz', { signal: AbortSignal.timeout(2000) }).catch((error: Error) => error);
      if (answer === 'ok') return;
      const ended = [store, api].find((program) => !program.running);
      if (ended !== undefined) throw new Error(`${ended.name} has ended:\n${ended.log().slice(-2000)}`);
      if (realClock.monotonic() > until) throw new Error(`the API server is not ready: ${String(answer)}`);
      await realClock.sleep(100);
    }
  } finally {
    await client.close();
  }
}
