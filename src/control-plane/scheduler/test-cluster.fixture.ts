import type { FakeClock } from '#platform/base/fake-clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { conditionOf, type KubeCondition } from '#platform/kube/kinds/condition';
import { NODES, type Taint } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import type { SchedulerConfiguration } from './config/configuration.ts';
import { SCHEDULER_RULES } from './rbac.ts';
import { type Scheduler, scheduler } from './scheduler.ts';

/** In-memory server that tests pass in. */
interface Cluster {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly log: Logger;
  readonly admin: Client;
  clientFor(user: { readonly name: string; readonly groups: readonly string[] }): Client;
  run(runnable: Runnable): () => Promise<void>;
  until<T>(check: () => T | Promise<T>): Promise<Exclude<T, undefined | false>>;
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface Start {
  readonly configuration?: SchedulerConfiguration;
  /** Wraps the client to make it fail. */
  readonly through?: (client: Client) => Client;
}

export interface NodeParts {
  readonly cpu?: string;
  readonly taints?: readonly Taint[];
}

export const namespace = 'default';
/** User with exactly the permissions that the scheduler needs. */
const USER = { name: 'placing', groups: ['system:authenticated'] };

/** Runs the scheduler on a test cluster. */
export class TestCluster {
  readonly cluster: Cluster;
  /** Events as text. */
  readonly said: string[] = [];

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  start({ configuration, through = (client) => client }: Start = {}): Scheduler & { stop(): Promise<void> } {
    const { clock, random, log } = this.cluster;
    const client = this.cluster.clientFor(USER);
    const informers = new Informers({ clock, random, log, client });
    const events = {
      event: ({ metadata }: Pick<Pod, 'metadata'>, type: string, reason: string, message: string) =>
        void this.said.push(`${metadata.name} ${type} ${reason}: ${message}`),
    };
    const parts = { client: through(client), informers, clock, random, log, events };
    const made = scheduler(configuration === undefined ? parts : { ...parts, configuration });
    return { ...made, stop: this.cluster.run(manager('scheduler', [informers, made])) };
  }

  async addNode(name: string, { cpu = '4', taints = [] }: NodeParts = {}): Promise<void> {
    const { admin } = this.cluster;
    const made = await admin.create(NODES, {
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      spec: { taints },
      status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, capacity: { cpu, memory: '8Gi', pods: '10' } },
    });
    // The server taints new nodes until they are reported ready.
    await admin.update(NODES, { ...made, spec: { taints } });
  }

  async addPod(name: string, cpu = '1', spec: object = {}): Promise<Pod> {
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];
    const whole = { containers, terminationGracePeriodSeconds: 0, ...spec };
    return await this.cluster.admin.create(PODS, { metadata: { name, namespace }, spec: whole });
  }

  get(name: string): Promise<Pod> {
    return this.cluster.admin.get(PODS, name, { namespace });
  }

  async scheduledOf(name: string): Promise<KubeCondition | undefined> {
    return conditionOf((await this.get(name)).status?.conditions, 'PodScheduled');
  }

  /** Waits until the pod has a node. */
  nodeOf(name: string): Promise<string> {
    return this.cluster.until(async () => (await this.get(name)).spec.nodeName ?? false);
  }

  /** Waits until the pod reports why it has none. */
  messageOf(name: string): Promise<string> {
    return this.cluster.until(async () => (await this.scheduledOf(name))?.message ?? false);
  }
}

/** Grants the scheduler its permissions in a cluster. */
export async function testClusterOn(cluster: Cluster): Promise<TestCluster> {
  await cluster.admin.create(CLUSTER_ROLES, { metadata: { name: 'placing' }, rules: SCHEDULER_RULES });
  await cluster.admin.create(CLUSTER_ROLE_BINDINGS, {
    metadata: { name: 'placing' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'placing' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER.name }],
  });
  return new TestCluster(cluster);
}
