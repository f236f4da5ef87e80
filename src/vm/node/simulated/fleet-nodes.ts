import { FREEZE_ANNOTATION, SCHEDULABLE_LABEL } from '#api/launcher';
import { parseCidr } from '#platform/base/cidr';
import type { Clock, Timer } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import type { EventRecorder } from '#platform/runtime/events/event-recorder';
import type { Informers } from '#platform/runtime/informers';
import { manager } from '#platform/runtime/manager';
import type { Runnable } from '#platform/runtime/runnable';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { WorkQueue } from '#platform/runtime/work-queue';
import { FENCE_AFTER, Leases } from '../agent/leases.ts';
import type { ManagedNode, ManagedNodes } from '../agent/managed-node.ts';
import type { MachineDriver } from '../machine-driver.ts';
import { lacksFacts, type NodeShape, nodeLabels, nodeObject, nodeStatus, seemsUnwell } from './node-object.ts';
import { DEFAULT_PREFIX, type NodePool, shapesOf } from './node-pool.ts';

export interface FleetNodesDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventRecorder;
  /** Returns the driver of a node, always the same. */
  readonly driverOf: (node: string) => MachineDriver;
  /** Called when a node has changed, so that everything bound to it must be reconciled. */
  readonly onWake: (node: string) => void;
  /** Called when the node may have been declared lost. Its machines pause until that is known. */
  readonly onDoubt: (host: ManagedNode) => Promise<void>;
  /** Called when the node is known not to be lost. */
  readonly onSure: (host: ManagedNode) => Promise<void>;
  /** Called when the node may have been declared lost and its machines must end. */
  readonly onLapsed: (host: ManagedNode) => Promise<void>;
  /**
   * Called when the node was declared lost and its machines must end. Resolves to true once they have and all
   * dependents know.
   */
  readonly onLost: (host: ManagedNode) => Promise<boolean>;
  /** Called when the node was deleted. Its machines must end, and all dependents must be informed. */
  readonly onGone: (host: ManagedNode) => Promise<void>;
  readonly onMachine: (node: string, id: string) => void;
}

export interface FleetNodesOptions {
  readonly nodeRange: string;
  readonly renewLeases: boolean;
  readonly deregister: boolean;
}

interface FleetNode extends ManagedNode {
  shape: NodeShape;
  /** UID of its Node once it is registered. */
  registered: string | undefined;
  /** The Node has been observed to exist. */
  shown: boolean;
  /** The node was deleted by others or is no longer desired. It only reports, and begins nothing. */
  gone: 'by others' | 'unwanted' | undefined;
  isFrozen: boolean;
  /** Timer that ends the machines of a frozen node if no Leases are renewed, and its result. */
  fence: Timer | undefined;
  fenced: boolean;
}

const CONCURRENCY = 16;

/**
 * Manages the nodes of a fleet: registers them, renews their Leases, freezes them on request, adds and deletes them.
 */
export class FleetNodes implements Runnable, ManagedNodes {
  readonly name = 'fleet nodes';
  readonly #parts: FleetNodesDeps;
  readonly #options: FleetNodesOptions;
  readonly #hosts = new Map<string, FleetNode>();
  readonly #queue: WorkQueue;
  readonly #leases: Leases;
  #pools: readonly NodePool[];

  constructor(parts: FleetNodesDeps, pools: readonly NodePool[], options: FleetNodesOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#pools = pools;
    const { client, clock, random, log } = parts;
    this.#leases = new Leases({
      client,
      clock,
      log,
      onHeld: (node) => {
        this.#queue.add(node);
        this.#tell(node, parts.onSure);
      },
      onDoubt: (node) => this.#tell(node, parts.onDoubt),
      onLapsed: (node) => this.#tell(node, parts.onLapsed),
      onLost: async (node) => {
        const host = this.#hosts.get(node);
        return host === undefined || (await parts.onLost(host));
      },
    });
    this.#queue = new WorkQueue({
      name: this.name,
      clock,
      random: random.fork(this.name),
      concurrency: CONCURRENCY,
      backOff: { first: 20, max: 10_000 },
      work: async (node) => await this.#keep(node),
      onFailure: (node, error, retryInMs) =>
        log[isConflict(error) ? 'debug' : 'warn']({ node, err: error, retryInMs }, 'failed to register a node'),
    });
  }

  find(node: string): ManagedNode | undefined {
    return this.#hosts.get(node);
  }

  #tell(node: string, whom: (host: ManagedNode) => Promise<void>): void {
    const host = this.#hosts.get(node);
    if (host !== undefined) void whom(host);
  }

  /** Names of the nodes that are, or will be, registered. */
  get names(): string[] {
    return [...this.#hosts.values()].filter(({ gone }) => gone === undefined).map(({ name }) => name);
  }

  async run(signal: AbortSignal): Promise<void> {
    const register = { name: 'registration', run: (stop: AbortSignal) => this.#register(stop) };
    await manager(this.name, [this.#leases, register]).run(signal);
    if (this.#options.deregister) await Promise.all(this.names.map((node) => this.#deregister(node)));
  }

  /** Scales a pool. Surplus nodes are deleted with everything on them. */
  async scale(count: number, pool: string): Promise<void> {
    if (!this.#pools.some(({ name = '' }) => name === pool)) throw new RangeError(`node pool "${pool}" not found`);
    this.#pools = this.#pools.map((each) => ((each.name ?? '') === pool ? { ...each, count } : each));
    await Promise.all(this.#shape().map((node) => this.#deregister(node)));
  }

  /** Adds a pool, or updates the one of its name. Nodes of other pools must not have the same names. */
  async set(pool: NodePool & { readonly name: string; readonly prefix: string }): Promise<void> {
    const { name, prefix, count } = pool;
    const others = this.#pools.filter((each) => each.name !== name);
    const taken = others.find((each) => each.count > 0 && (each.prefix ?? DEFAULT_PREFIX) === prefix);
    if (taken !== undefined) throw new RangeError(`another pool already has nodes named ${prefix}1 and so on`);
    // Empty pools are dropped, as if they had never existed.
    this.#pools =
      count === 0
        ? others
        : this.#pools.some((each) => each.name === name)
          ? this.#pools.map((each) => (each.name === name ? pool : each))
          : [...this.#pools, pool];
    await Promise.all(this.#shape().map((node) => this.#deregister(node)));
  }

  async #register(signal: AbortSignal): Promise<void> {
    const informer = this.#parts.informers.of(NODES);
    await Promise.race([informer.synced, waitForAbort(signal)]);
    this.#shape();
    const stop = informer.onChange(({ object: { metadata } }) => {
      if (this.#hosts.has(metadata.name ?? '')) this.#queue.add(metadata.name ?? '');
    });
    await this.#queue.run(signal);
    stop();
  }

  /** Aligns the hosts with the pools. Returns the names of those that are no longer desired. */
  #shape(): string[] {
    const shapes = shapesOf(this.#pools, parseCidr(this.#options.nodeRange));
    const desired = new Set(shapes.map(({ name }) => name));
    for (const shape of shapes) {
      const present = this.#hosts.get(shape.name);
      if (present === undefined) this.#hosts.set(shape.name, this.#host(shape));
      else present.shape = shape;
      if (present?.gone === 'unwanted')
        Object.assign(present, { gone: undefined, registered: undefined, shown: false });
      this.#queue.add(shape.name);
    }
    return this.names.filter((node) => !desired.has(node));
  }

  #host(shape: NodeShape): FleetNode {
    const { driverOf, onMachine } = this.#parts;
    const leases = this.#leases;
    const { renewLeases } = this.#options;
    const { name } = shape;
    let listening = false;
    return {
      name,
      shape,
      registered: undefined,
      shown: false,
      gone: undefined,
      isFrozen: false,
      fence: undefined,
      fenced: false,
      get address() {
        return this.shape.address;
      },
      get frozen() {
        return this.isFrozen;
      },
      // The driver is created only for nodes with bound pods.
      get driver() {
        const driver = driverOf(name);
        if (!listening) driver.onChange((id) => onMachine(name, id));
        listening = true;
        return driver;
      },
      get leaseHeld() {
        if (this.gone !== undefined) return false;
        return renewLeases ? leases.held(name) : this.registered !== undefined && !this.fenced;
      },
      get inDoubt() {
        return this.gone === undefined && leases.inDoubt(name);
      },
      get mayAdopt() {
        return renewLeases && this.gone === undefined ? leases.neverLost(name) : true;
      },
    };
  }

  /** Ensures that a node is registered and its status reported. */
  async #keep(name: string): Promise<undefined> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    const shown = this.#parts.informers.of(NODES).cache.get(name);
    if (shown === undefined && host.registered !== undefined) {
      // The node was deleted by others. The fleet accepts that, like a stopped kubelet.
      if (host.shown && host.gone === undefined) await this.#lose(host, 'by others');
      return;
    }
    if (shown === undefined && host.gone !== undefined) return;
    if (shown !== undefined) host.shown = true;
    // A new Node of the same name is handled as if it had existed at the start.
    if (shown !== undefined && shown.metadata.uid !== host.registered) this.#recreate(host);
    const node = shown ?? (await this.#create(host.shape));
    this.#freeze(host, node.metadata.annotations?.[FREEZE_ANNOTATION] === 'true');
    if (!host.isFrozen) await this.#report(host, node);
    if (host.registered !== undefined) return;
    const { uid = '' } = node.metadata;
    host.registered = uid;
    this.#parts.events.event(node, 'Normal', 'Starting', 'Starting kubelet.');
    this.#tellReady(node);
    if (this.#options.renewLeases) this.#leases.add(name, { apiVersion: 'v1', kind: 'Node', name, uid });
    else this.#parts.onWake(name);
  }

  async #create(shape: NodeShape): Promise<Node> {
    const { client, clock } = this.#parts;
    try {
      return await client.create(NODES, nodeObject(shape, clock.now(), this.#parts.driverOf(shape.name).facts));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return await client.get(NODES, shape.name);
    }
  }

  async #report(host: FleetNode, node: Node): Promise<void> {
    const { client, clock } = this.#parts;
    const { labels: present = {} } = node.metadata;
    const { facts } = host.driver;
    const labels: Record<string, string> = { ...nodeLabels(host.shape), ...present, ...facts?.labels };
    // A controller that declared the node lost has made it unschedulable.
    if (host.registered === undefined || host.leaseHeld) labels[SCHEDULABLE_LABEL] = 'true';
    let current = node;
    if (Object.keys(labels).some((name) => labels[name] !== present[name])) {
      current = await client.patch(NODES, host.name, { type: 'merge', body: { metadata: { labels } } });
    }
    const { capacity = {} } = current.status ?? {};
    const same = Object.entries(host.shape.resources).every(([name, amount]) => capacity[name] === amount);
    if (same && !seemsUnwell(current) && !lacksFacts(current, facts)) return;
    // A node whose Lease has lapsed is healthy only after the renewal.
    if (host.registered !== undefined && !host.leaseHeld) return;
    const status = nodeStatus(host.shape, current.status, clock.now(), facts);
    await client.update(NODES, { ...current, status }, { subresource: 'status' });
    if (host.registered !== undefined) this.#tellReady(node);
  }

  #tellReady(node: Node): void {
    this.#parts.events.event(node, 'Normal', 'NodeReady', `Node ${node.metadata.name} status is now: NodeReady`);
  }

  #freeze(host: FleetNode, frozen: boolean): void {
    if (host.isFrozen === frozen) return;
    host.isFrozen = frozen;
    if (this.#options.renewLeases) this.#leases.pause(host.name, frozen);
    else this.#fenceUnless(host, !frozen);
    // Changes are observed meanwhile, but nothing begins before the Lease is renewed.
    if (!frozen) this.#parts.onWake(host.name);
  }

  /** Fences nodes without Leases as the lapse of a Lease would. */
  #fenceUnless(host: FleetNode, alive: boolean): void {
    const { clock, onLapsed } = this.#parts;
    host.fence?.cancel();
    host.fence = undefined;
    host.fenced = false;
    if (alive) return;
    host.fence = clock.timer(FENCE_AFTER, () => {
      host.fenced = true;
      void onLapsed(host);
    });
  }

  async #deregister(name: string): Promise<void> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    await this.#lose(host, 'unwanted');
    await this.#parts.client.delete(NODES, name).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** Handles the end of a node and of everything on it, which is still to be reported. */
  async #lose(host: FleetNode, gone: 'by others' | 'unwanted'): Promise<void> {
    host.gone = gone;
    host.isFrozen = false;
    this.#fenceUnless(host, true);
    this.#leases.remove(host.name);
    await this.#parts.onGone(host);
  }

  #recreate(host: FleetNode): void {
    this.#leases.remove(host.name);
    host.gone = undefined;
    host.registered = undefined;
  }
}
