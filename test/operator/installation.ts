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

/** The program of a version of this repository; earlier ones had it elsewhere. */
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

/** A replica of the operator: a process of this machine instead of a pod. */
export interface Replica {
  readonly webhookPort: number;
  log(): string;
  /** A figure of its metrics; several of a name are added up. */
  measured(name: string): Promise<number>;
  ready(): Promise<boolean>;
  untilReady(): Promise<void>;
  /** The milliseconds that it took to end after SIGTERM. */
  stop(): Promise<number>;
  /** Ends it without a chance to say anything. */
  kill(): Promise<void>;
}

/** The chart, installed by Helm on a real API server. */
export interface Installation {
  readonly name: string;
  readonly namespace: string;
  readonly user: string;
  /** Of the operator's ServiceAccount. */
  readonly account: { readonly namespace: string; readonly name: string };
  readonly replicas: readonly Replica[];
  /** Further flags come after those of the Deployment. */
  startReplica(...flags: string[]): Promise<Replica>;
  /** Takes the Deployment as it is now, for replicas that are started then. */
  reread(): Promise<void>;
  /** Upgrades the release to the chart of this working tree, definitions too; replicas that are started then are of it. */
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
  /** Values of the chart, as --set has them. */
  readonly set?: readonly string[];
  /** The working tree whose chart and operator it is; this one where absent. */
  readonly tree?: string;
  /** Where replicas reach the API server, if not directly. */
  readonly server?: string;
  /** What stands for the command of the container; the operator of the tree where absent. */
  readonly program?: readonly string[];
  /** The number of the user that replicas run as; whoever runs the tests where absent. */
  readonly user?: number;
}

/**
 * Installs the chart. Nobody runs its pods, so replicas are processes here, with the arguments, environment and
 * ServiceAccount of the Deployment; its Services lead to them by the name of this machine.
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

/** On one machine, a Service leads to processes by an external name: the API server connects there itself. */
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
  /** What stands for the command of the container. */
  readonly program: readonly string[];
  readonly deployment: Deployment;
  readonly flags?: readonly string[];
  readonly kubeconfig: string;
  /** For its log. */
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
    // Replicas share this machine, so each has ports of its own; the last of a flag counts.
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
