import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { DIALECT_NAMES, type DialectName } from '#api/groups';
import { realClock } from '#platform/base/clock';
import type { KubeObject } from '#platform/kube/kube-object';
import { readManifest } from '#platform/kube/manifest';
import { vmShortNameGroup, withVmShortName } from '#programs/cli/vm-short-name';
import { crdFor, kindsOf } from '#programs/install/crds';
import { Kubectl } from '../e2e/support/kubectl.ts';
import { Component } from './component.ts';
import { freePorts } from './ports.ts';
import type { RealCluster } from './real-cluster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SERVED = new Set(['APIService', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
const ACCOUNT = { namespace: 'vimana-system', name: 'vimana-operator' };

interface Manifest extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly webhooks?: readonly { readonly clientConfig: { readonly service?: object } }[];
}

export interface OperatorPorts {
  readonly webhook: number;
  readonly metrics: number;
  readonly health: number;
}

/** An operator that runs from this working tree for a cluster, with its ServiceAccount and installed manifests. */
export interface InstalledOperator {
  readonly ports: OperatorPorts;
  /** The operator stops when the cluster's directory is deleted. It can be stopped and restarted. */
  readonly process: Component;
}

/** Cluster that an operator is installed in. */
export type Host = Pick<
  RealCluster,
  'kubeconfig' | 'folder' | 'kubeconfigFor' | 'tokenFor' | 'onStop' | 'controllerManager'
>;

export interface InstallOptions {
  /** Whether the API server calls the webhooks and aggregated APIs of the operator. Defaults to true. */
  readonly serving?: boolean;
  /** API groups to install. Defaults to all. */
  readonly dialects?: readonly DialectName[];
  readonly flags?: readonly string[];
}

/**
 * Installs what `vimana install` and `kubectl apply` of deploy/operator install, and runs the operator beside the cluster.
 */
export async function installOperator(
  cluster: Host,
  { serving = true, dialects = DIALECT_NAMES, flags = [] }: InstallOptions = {},
): Promise<InstalledOperator> {
  const kubectl = new Kubectl(cluster.kubeconfig, cluster.folder);
  const ok = (args: string, input?: string) => kubectl.ok(args, input);
  const [webhook = 0, metrics = 0, health = 0] = await freePorts(3);
  const ports = { webhook: serving ? webhook : 0, metrics, health };
  const objects = manifests();
  const definitions = withVmShortName(kindsOf(dialects), vmShortNameGroup(dialects)).map(crdFor);
  await ok('apply --server-side -f -', yaml(definitions));
  // kubectl fails on a new CRD, which has no conditions for a moment.
  const established = () => ok('wait --for=condition=Established crd --all --timeout=30s');
  await established().catch(() => realClock.sleep(1000).then(established));
  await learn(cluster.controllerManager);
  const others = objects.filter(({ kind }) => serving || !SERVED.has(kind));
  await ok('apply --server-side -f -', yaml(outside(others, webhook)));
  const operator = await startOperator(cluster, ports, [
    ...argumentsIn(objects),
    `--dialects=${dialects.join(',')}`,
    ...flags,
  ]);
  if (serving) await ok('wait --for=condition=Available apiservice v1.subresources.kubevirt.io --timeout=60s');
  return { ports, process: operator };
}

/**
 * The garbage collector discovers new kinds twice a minute. If it does not know a kind yet, it may later delete
 * dependents that should be orphaned. Therefore it must know the kinds from its start.
 */
async function learn(controllers: Component): Promise<void> {
  if (!controllers.running) return;
  await controllers.stop('at once');
  controllers.start();
}

async function startOperator(
  cluster: Host,
  { webhook, metrics, health }: OperatorPorts,
  flags: readonly string[],
): Promise<Component> {
  const kubeconfig = cluster.kubeconfigFor(await cluster.tokenFor(ACCOUNT), ACCOUNT.namespace);
  const args = [
    'operator',
    ...flags,
    `--kubeconfig=${kubeconfig}`,
    `--metrics-bind-addr=127.0.0.1:${metrics}`,
    `--health-probe-bind-addr=127.0.0.1:${health}`,
    `--webhook-port=${webhook}`,
  ];
  const { folder } = cluster;
  const operator = new Component({ name: 'operator', binary: join(ROOT, 'bin/vimana'), args, folder });
  cluster.onStop(() => operator.stop('at once'));
  operator.start();
  return operator;
}

/** Returns the manifests of the operator that a user applies. */
function manifests(): Manifest[] {
  const text = readFileSync(join(ROOT, 'deploy/operator/operator.yaml'), 'utf8');
  return readManifest(text).documents.map(({ object }) => object as Manifest);
}

/** Returns the arguments of the operator in its Deployment. */
function argumentsIn(objects: readonly Manifest[]): readonly string[] {
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
    spec: { template: { spec: { containers: readonly { args: readonly string[] }[] } } };
  };
  return deployment.spec.template.spec.containers[0]?.args ?? [];
}

/**
 * Adapts the manifests to an operator outside of the cluster: no pods run here, and the API server reaches the operator
 * on a port of this host.
 */
function outside(objects: readonly Manifest[], port: number): Manifest[] {
  return objects.map((object) => {
    const { kind, spec, webhooks, metadata } = object;
    if (kind === 'Deployment') return { ...object, spec: { ...spec, replicas: 0 } };
    if (kind === 'Service' && metadata.name?.endsWith('-webhook') === true) {
      return { ...object, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ name: 'https', port }] } };
    }
    if (kind === 'APIService') {
      return { ...object, spec: { ...spec, service: { ...(spec?.['service'] as object), port } } };
    }
    if (webhooks === undefined) return object;
    const moved = webhooks.map((hook) => ({
      ...hook,
      clientConfig: { ...hook.clientConfig, service: { ...hook.clientConfig.service, port } },
    }));
    return { ...object, webhooks: moved };
  });
}

const yaml = (objects: readonly object[]) => objects.map((object) => stringify(object)).join('---\n');
