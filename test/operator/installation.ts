import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { realClock } from '#platform/base/clock';
import type { HttpClient } from '#platform/kube/http/http-client';
import { SERVICES } from '#platform/kube/kinds/core';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import { Component } from '../cluster/component.ts';
import { freePorts } from '../cluster/ports.ts';
import type { RealCluster } from '../cluster/real-cluster.ts';
import { startServiceProxy } from './service-proxy.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Path of the program in a version of this repository. Earlier versions had it elsewhere. */
function mainOf(tree: string): string {
  const main = join(tree, 'src/programs/main.ts');
  return existsSync(main) ? main : join(tree, 'src/main.ts');
}
const chartOf = (tree: string) => join(tree, 'deploy/helm/vimana');

interface Deployment extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly {
          readonly command: readonly string[];
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

const DEPLOYMENTS = resourceType<Deployment>('apps/v1', 'Deployment', 'deployments');

/** A replica of the operator, as a process of this host instead of a pod. */
export interface Replica {
  readonly webhookPort: number;
  log(): string;
  /** Reads a metric. Several samples of a name are added up. */
  measured(name: string): Promise<number>;
  ready(): Promise<boolean>;
  untilReady(): Promise<void>;
  /** Stops it with SIGTERM and returns how many milliseconds that took. */
  stop(): Promise<number>;
  /** Kills it. */
  kill(): Promise<void>;
}

/** The chart, installed by Helm on a real API server. */
export interface Installation {
  readonly name: string;
  readonly namespace: string;
  readonly user: string;
  /** Token of the operator's ServiceAccount. */
  readonly account: { readonly namespace: string; readonly name: string };
  readonly replicas: readonly Replica[];
  /** Starts a replica. Additional flags follow those of the Deployment. */
  startReplica(...flags: string[]): Promise<Replica>;
  /** Reads the current Deployment for replicas that are started later. */
  reread(): Promise<void>;
  /** Upgrades the release and its CRDs to the chart of this working tree. Replicas that are started later use it. */
  upgrade(): Promise<void>;
  stop(): Promise<void>;
}

export async function helm(cluster: RealCluster, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: cluster.folder, KUBECONFIG: cluster.kubeconfig };
  const child = spawn(cluster.binaries.helm, args, { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${err}`);
  return out;
}

export interface ChartOptions {
  readonly name?: string;
  readonly namespace?: string;
  /** Values of the chart, as in --set. */
  readonly set?: readonly string[];
  /** Working tree of the chart and the operator. Defaults to this one. */
  readonly tree?: string;
  /** Address at which replicas reach the API server, if not directly. */
  readonly server?: string;
  /** Replaces the command of the container. Defaults to the operator of the tree. */
  readonly program?: readonly string[];
  /** User ID of the replicas. Defaults to that of the tests. */
  readonly user?: number;
}

/**
 * Installs the chart. Its pods do not run, so replicas are local processes with the arguments, environment and
 * ServiceAccount of the Deployment. Its Services lead to them by the name of this host.
 */
export async function installChart(cluster: RealCluster, options: ChartOptions = {}): Promise<Installation> {
  const { name = 'vimana-operator', namespace = 'vimana-system', set = [], tree = ROOT, server, user } = options;
  const client = await cluster.client();
  const replicas: Replica[] = [];
  const proxy = await startServiceProxy(() => replicas.map(({ webhookPort }) => webhookPort));
  const values = [`webhook.servicePort=${proxy.port}`, ...set].flatMap((value) => ['--set', value]);
  await helm(cluster, 'install', name, chartOf(tree), '--namespace', namespace, '--create-namespace', ...values);
  const { items: services } = await client.list(SERVICES, { namespace });
  const served = services.find(({ metadata }) => metadata.name === `${name}-webhook`);
  if (served !== undefined) await leadHere(client, `${name}-webhook`, namespace);
  let from = tree;
  let deployment = await client.get(DEPLOYMENTS, name, { namespace });
  const account = { namespace, name: deployment.spec.template.spec.serviceAccountName };
  return {
    name,
    namespace,
    account,
    user: `system:serviceaccount:${namespace}:${account.name}`,
    replicas,
    async startReplica(...flags) {
      const kubeconfig = cluster.kubeconfigFor(await cluster.tokenFor(account), namespace);
      if (server !== undefined) redirect(kubeconfig, cluster.url, server);
      const own = options.program ?? [process.execPath, mainOf(from), 'vimana', 'operator'];
      if (user !== undefined) chownSync(kubeconfig, user, user);
      const program = [...(user === undefined ? [] : asUser(user)), ...own];
      const replica = await startReplica({ program, deployment, flags, kubeconfig, folder: cluster.folder }, () => {
        replicas.splice(replicas.indexOf(replica), 1);
      });
      replicas.push(replica);
      return replica;
    },
    async reread() {
      deployment = await client.get(DEPLOYMENTS, name, { namespace });
    },
    async upgrade() {
      await helm(cluster, 'upgrade', name, chartOf(ROOT), '--namespace', namespace, ...values);
      if (served !== undefined) await leadHere(client, `${name}-webhook`, namespace);
      deployment = await client.get(DEPLOYMENTS, name, { namespace });
      from = ROOT;
    },
    async stop() {
      await Promise.all([...replicas].map((replica) => replica.kill()));
      await proxy.close();
    },
  };
}

/** On one host, a Service leads to processes by an external name, to which the API server connects itself. */
async function leadHere(client: HttpClient, name: string, namespace: string): Promise<void> {
  const spec = { type: 'ExternalName', externalName: 'localhost', clusterIP: null, clusterIPs: null, selector: null };
  await client.patch(SERVICES, name, { type: 'merge', body: { spec } }, { namespace });
}

const asUser = (user: number) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];

function redirect(kubeconfig: string, from: string, to: string): void {
  writeFileSync(kubeconfig, readFileSync(kubeconfig, 'utf8').replaceAll(from, to));
}

let started = 0;

interface ReplicaSettings {
  /** Replaces the command of the container. */
  readonly program: readonly string[];
  readonly deployment: Deployment;
  readonly flags?: readonly string[];
  readonly kubeconfig: string;
  /** Directory of its log. */
  readonly folder: string;
}

/** Runs a replica with the arguments and the environment of a Deployment. */
async function startReplica(settings: ReplicaSettings, gone: () => void): Promise<Replica> {
  const { program, deployment, flags = [], kubeconfig, folder } = settings;
  const [metricsPort = 0, healthPort = 0, webhookPort = 0] = await freePorts(3);
  const [container] = deployment.spec.template.spec.containers;
  if (container === undefined) throw new Error('the Deployment has no container');
  const env = Object.fromEntries(container.env.map(({ name, value = '' }) => [name, value]));
  const [binary = '', ...first] = program;
  const component = new Component({
    name: `operator-${++started}`,
    binary,
    // Replicas share this host, so each has its own ports. The last value of a flag applies.
    args: [
      ...first,
      ...container.args.filter((arg) => !(arg === '--no-instances' && flags.includes('--instances'))),
      ...flags,
      `--metrics-bind-addr=127.0.0.1:${metricsPort}`,
      `--health-probe-bind-addr=127.0.0.1:${healthPort}`,
      ...(container.args.includes('--webhook-port=0') ? [] : [`--webhook-port=${webhookPort}`]),
    ],
    folder,
    env: { ...env, KUBECONFIG: kubeconfig },
  });
  component.start();
  const health = `http://127.0.0.1:${healthPort}`;
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
  const replica: Replica = {
    webhookPort,
    log: () => component.log(),
    async measured(name) {
      const text = await (await fetch(metrics)).text();
      const lines = text.split('\n').filter((line) => line.startsWith(name) && /[ {]/.test(line.charAt(name.length)));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    ready: async () =>
      (await fetch(`${health}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )) === 200,
    async untilReady() {
      for (let turn = 0; turn < 600; turn++) {
        if (await replica.ready()) return;
        if (!component.running) break;
        await realClock.sleep(100);
      }
      throw new Error(`the operator is not ready:\n${component.log().slice(-4000)}`);
    },
    async stop() {
      const since = realClock.monotonic();
      await component.stop('gently');
      gone();
      return realClock.monotonic() - since;
    },
    async kill() {
      await component.stop('at once');
      gone();
    },
  };
  return replica;
}
