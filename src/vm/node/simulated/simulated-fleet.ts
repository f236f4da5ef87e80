import { VMIS } from '#api/kubevirt/resources';
import { parseCidr } from '#platform/base/cidr';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import type { NodeRuntime } from '#platform/kube/node-runtime';
import { runnable } from '#platform/runtime/controller';
import { type EventRecorder, noopRecorder } from '#platform/runtime/events/event-recorder';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import { ClaimDisks } from '#vm/storage/disk/claim-disks';
import { Addresses } from '../agent/addresses.ts';
import { Agent, podsByNode } from '../agent/agent.ts';
import { ContainerLogs, type LogStore } from '../agent/container-logs.ts';
import { hooksByNode } from '../agent/hooks-by-node.ts';
import { LauncherRuntime } from '../agent/launcher-runtime.ts';
import { NodeGuests } from '../agent/node-guests.ts';
import { realNodeHooks } from '../agent/real-node-hooks.ts';
import { instanceKeyOf } from '../agent/role.ts';
import { snapshotAgent } from '../agent/snapshots.ts';
import type { MachineDriver } from '../machine-driver.ts';
import { FleetNodes } from './fleet-nodes.ts';
import { Simulation } from './machine/simulation.ts';
import type { NodePool } from './node-pool.ts';
import { SimulatedPods } from './pods/simulated-pods.ts';
import { simulatedNodeHooks } from './simulated-node-hooks.ts';
import { metricsApi } from './usage/metrics-api.ts';
import { poolKeyOf, servingPods } from './usage/pool-demand.ts';
import type { Traces } from './usage/profile.ts';
import { type SimulatedUsage, UsageModel } from './usage/usage.ts';

export interface FleetDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events?: EventRecorder;
}

export interface FleetOptions {
  readonly pools: readonly NodePool[];
  /** Address range of pods that have no address of their own. Defaults to 10.245.0.0/16. */
  readonly podRange?: string;
  /** Address range of nodes. Defaults to 10.246.0.0/16. */
  readonly nodeRange?: string;
  /** Bandwidth of a node's network interface for migrations, in bytes per second. Defaults to 10 Gbit/s. */
  readonly link?: number;
  /** Default annotations for pods and machines that do not set their own, such as start delays. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** False skips renewals if nothing checks them, since they would be most of the work in simulated time. */
  readonly renewLeases?: boolean;
  /** Deletes the nodes when the fleet stops. */
  readonly deregister?: boolean;
  /** Persists container output. If absent, the output is lost with the process. */
  readonly containerLogs?: LogStore;
  /** The cluster has VMSnapshots, which nodes capture. */
  readonly snapshots?: boolean;
  /** Drivers of nodes that run real machines, by node. All others are simulated. */
  readonly drivers?: ReadonlyMap<string, MachineDriver>;
  /** Traces that usage profiles may name. */
  readonly traces?: Traces;
}

const POD_RANGE = '10.245.0.0/16';
/** Default address range of nodes. */
export const NODE_RANGE = '10.246.0.0/16';

/** Simulates nodes in one process: they register, stay alive, and run whatever is bound to them. */
export class SimulatedFleet implements Runnable {
  readonly name = 'fleet';
  readonly simulation: Simulation;
  /** Access to the guests on the nodes of the fleet. */
  readonly guests: NodeGuests;
  /** Serves logs and connections of the pods on the nodes. */
  readonly runtime: NodeRuntime;
  readonly #parts: FleetDeps;
  readonly #nodes: FleetNodes;
  readonly #agent: Agent;
  readonly #snapshots: readonly Runnable[];
  readonly #logs: ContainerLogs;
  readonly #usage: UsageModel;

  constructor(parts: FleetDeps, options: FleetOptions) {
    this.#parts = parts;
    const { client, informers, clock, random, log, events = noopRecorder } = parts;
    const { pools, podRange = POD_RANGE, nodeRange = NODE_RANGE, link } = options;
    const { renewLeases = true, deregister = false, traces, defaults = {}, containerLogs } = options;
    const { drivers = new Map<string, MachineDriver>() } = options;
    const isReal = (node: string) => drivers.has(node);
    const claims = informers.of(PERSISTENT_VOLUME_CLAIMS).cache;
    const store = new ClaimDisks(client, (namespace, claim) => claims.get(keyIn(namespace, claim)));
    const simulation = new Simulation({ clock, defaults, store, ...(link === undefined ? {} : { link }) });
    this.simulation = simulation;
    this.#usage = new UsageModel(traces);
    this.#logs = new ContainerLogs(clock, containerLogs);
    const real = realNodeHooks({ clock, onChange: (node, id) => this.#agent.machineChanged(node, id) });
    const hooks = hooksByNode(simulatedNodeHooks(random.fork('pods'), events, defaults), real, isReal);
    const addresses = new Addresses(parseCidr(podRange));
    const shared = { client, clock, events, logs: this.#logs, addresses, hooks };
    this.#nodes = new FleetNodes(
      {
        client,
        informers,
        clock,
        random,
        log,
        events,
        driverOf: (node) => drivers.get(node) ?? simulation.driver(node),
        onWake: (node) => this.#agent.wake(node),
        onDoubt: (host) => this.#agent.doubt(host),
        onSure: (host) => this.#agent.trust(host),
        onLapsed: (host) => this.#agent.fence(host, 'Fenced'),
        onLost: async (host) => {
          await this.#agent.fence(host, 'Fenced');
          return await this.#agent.isSettled(host);
        },
        onGone: (host) => this.#agent.fence(host, 'NodeDeleted'),
        onMachine: (node, id) => this.#agent.machineChanged(node, id),
      },
      pools,
      { nodeRange, renewLeases, deregister },
    );
    this.guests = new NodeGuests(this.#nodes);
    this.runtime = new LauncherRuntime(this.guests, this.#logs);
    this.#agent = new Agent({
      ...shared,
      informers,
      random,
      log,
      hosts: this.#nodes,
      podRunner: new SimulatedPods({ ...shared, defaults }),
    });
    const { snapshots = false } = options;
    this.#snapshots = snapshots
      ? [runnable(snapshotAgent(this.#nodes), { client, informers, clock, random, log, events })]
      : [];
  }

  /** Names of the fleet's nodes, registered or not. */
  get nodes(): string[] {
    return this.#nodes.names;
  }

  async run(signal: AbortSignal): Promise<void> {
    await manager(this.name, [this.#nodes, this.#agent, ...this.#snapshots]).run(signal);
  }

  /** Scales a pool. Surplus nodes are deleted with everything on them. */
  async scale(count: number, pool = ''): Promise<void> {
    await this.#nodes.scale(count, pool);
  }

  /** Adds a pool, or updates the one of its name. Throws a RangeError if nodes of another pool have its names. */
  async set(pool: NodePool & { readonly name: string; readonly prefix: string }): Promise<void> {
    await this.#nodes.set(pool);
  }

  /** Returns the current usage of a pod, or undefined for pods that run elsewhere. */
  usageOf(pod: Pod, now: number = this.#parts.clock.now()): SimulatedUsage | undefined {
    const { nodeName = '' } = pod.spec;
    if (this.#nodes.find(nodeName) === undefined) return undefined;
    const { informers } = this.#parts;
    const instance = informers.of(VMIS).cache.get(instanceKeyOf(pod) ?? '');
    const pool = poolKeyOf(pod);
    const serving = pool === undefined ? 1 : [...informers.of(PODS).cache.by(servingPods, pool)].length;
    return this.#usage.usageOf({ pod, instance, node: informers.of(NODES).cache.get(nodeName), serving }, now);
  }

  /** Serves metrics.k8s.io for the nodes of the fleet and their pods. */
  metrics(): ApiExtension {
    const { informers, clock } = this.#parts;
    const [nodes, pods] = [informers.of(NODES).cache, informers.of(PODS).cache];
    return metricsApi({
      now: () => clock.now(),
      nodes: () => this.nodes.flatMap((name) => nodes.get(name) ?? []),
      node: (name) => (this.#nodes.find(name) === undefined ? undefined : nodes.get(name)),
      pods: (namespace) => (namespace === '' ? pods.all() : pods.inNamespace(namespace)),
      pod: (namespace, name) => pods.get(keyIn(namespace, name)),
      podsOn: (node) => pods.by(podsByNode, node),
      usageOf: (pod) => this.usageOf(pod),
    });
  }
}
