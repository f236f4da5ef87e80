import { parseCidr } from '../../base/cidr.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Client } from '../../kube/client.ts';
import { NODES, type Node } from '../../kube/kinds/node.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/kube-error.ts';
import type { ContainerLog, LogRequest, NodeRuntime } from '../../kube/node-runtime.ts';
import { aborted } from '../../runtime/aborted.ts';
import type { Cache } from '../../runtime/cache.ts';
import { type EventRecorder, silentRecorder } from '../../runtime/events/event-recorder.ts';
import type { Informers } from '../../runtime/informers.ts';
import { manager } from '../../runtime/manager.ts';
import type { Runnable } from '../../runtime/runnable.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { Addresses } from '../agent/addresses.ts';
import { Agent } from '../agent/agent.ts';
import type { Host } from '../agent/host.ts';
import { Leases } from '../agent/leases.ts';
import { LogBook } from '../agent/log-book.ts';
import { FREEZE_ANNOTATION } from './behaviour.ts';
import { Simulation } from './machine/simulation.ts';
import { type NodeShape, nodeLabels, nodeObject, nodeStatus, seemsUnwell } from './node-object.ts';
import { type NodePool, shapesOf } from './node-pool.ts';
import { SimulatedPods } from './pods/simulated-pods.ts';
import { simulatedSurroundings } from './simulated-surroundings.ts';

export interface FleetParts {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events?: EventRecorder;
}

export interface FleetOptions {
  readonly pools: readonly NodePool[];
  /** Addresses of pods that hold no machine. */
  readonly podRange?: string;
  readonly nodeRange?: string;
  /** Bytes a second of the network card of a node, for migrations. */
  readonly link?: number;
  /** False where nobody minds: in simulated time, renewing would be most of the work. */
  readonly renewLeases?: boolean;
  /**
   * Whether machines of nodes whose lease had lapsed before this process began are taken to have gone on. Right where the
   * operator starts together with the fleet; else it may have given them up, and it is safer to say no.
   */
  readonly adoptLapsed?: boolean;
  /** Takes the nodes away when the fleet stops. */
  readonly deregister?: boolean;
}

interface FleetHost extends Host {
  shape: NodeShape;
  registered: boolean;
  /** Whether it was ever seen to be there. */
  shown: boolean;
  isFrozen: boolean;
}

const POD_RANGE = '10.245.0.0/16';
const NODE_RANGE = '10.246.0.0/16';
const CONCURRENCY = 16;

/** Simulated nodes in one process: they register, stay alive, and run whatever is bound to them. */
export class Fleet implements Runnable, NodeRuntime {
  readonly name = 'fleet';
  readonly simulation: Simulation;
  readonly #parts: FleetParts;
  readonly #options: FleetOptions;
  readonly #hosts = new Map<string, FleetHost>();
  readonly #nodes: Cache<Node>;
  readonly #queue: WorkQueue;
  readonly #leases: Leases;
  readonly #logs: LogBook;
  readonly #agent: Agent;
  #pools: readonly NodePool[];

  constructor(parts: FleetParts, options: FleetOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#pools = options.pools;
    const { client, informers, clock, random, log, events = silentRecorder } = parts;
    this.#nodes = informers.of(NODES).cache;
    this.simulation = new Simulation({ clock, ...(options.link === undefined ? {} : { link: options.link }) });
    this.#logs = new LogBook(clock);
    const surroundings = simulatedSurroundings(random.fork('pods'), events);
    const addresses = new Addresses(parseCidr(options.podRange ?? POD_RANGE));
    const shared = { client, clock, events, logs: this.#logs, addresses, surroundings };
    this.#agent = new Agent({
      ...shared,
      informers,
      random,
      log,
      hosts: { find: (node) => this.#hosts.get(node) },
      plainPods: new SimulatedPods(shared),
    });
    this.#leases = new Leases({
      client,
      clock,
      log,
      onHeld: (node) => this.#held(node),
      onLapsed: (node) => void this.#lapsed(node),
    });
    this.#queue = new WorkQueue({
      name: 'fleet nodes',
      clock,
      random: random.fork('fleet nodes'),
      concurrency: CONCURRENCY,
      backOff: { first: 20, most: 10_000 },
      work: async (node) => await this.#keep(node),
      onFailure: (node, error, retryInMs) =>
        log[isConflict(error) ? 'debug' : 'warn']({ node, err: error, retryInMs }, 'a node could not be registered'),
    });
  }

  /** The names of the nodes that the fleet has, registered or not. */
  get nodes(): string[] {
    return [...this.#hosts.keys()];
  }

  async run(signal: AbortSignal): Promise<void> {
    await manager(this.name, [this.#leases, { name: 'nodes', run: (stop) => this.#register(stop) }, this.#agent]).run(
      signal,
    );
    if (this.#options.deregister === true) await Promise.all(this.nodes.map((node) => this.#deregister(node)));
  }

  /** Makes a pool larger or smaller; nodes that are no longer wanted are taken away, with everything on them. */
  async scale(count: number, pool = ''): Promise<void> {
    const known = this.#pools.some(({ name = '' }) => name === pool);
    if (!known) throw new RangeError(`there is no pool "${pool}"`);
    this.#pools = this.#pools.map((each) => ((each.name ?? '') === pool ? { ...each, count } : each));
    const gone = this.#shape();
    await Promise.all(gone.map((node) => this.#deregister(node)));
  }

  /** What a container has said. */
  logs(request: LogRequest): ContainerLog | undefined {
    return this.#logs.read(request);
  }

  async #register(signal: AbortSignal): Promise<void> {
    const informer = this.#parts.informers.of(NODES);
    await Promise.race([informer.synced, aborted(signal)]);
    this.#shape();
    const stop = informer.onChange(({ object: { metadata } }) => {
      if (this.#hosts.has(metadata.name ?? '')) this.#queue.add(metadata.name ?? '');
    });
    await this.#queue.run(signal);
    stop();
  }

  /** Brings the hosts to what the pools ask for; returns the names of those that are no longer wanted. */
  #shape(): string[] {
    const shapes = shapesOf(this.#pools, parseCidr(this.#options.nodeRange ?? NODE_RANGE));
    const wanted = new Set(shapes.map(({ name }) => name));
    for (const shape of shapes) {
      const present = this.#hosts.get(shape.name);
      if (present === undefined) this.#hosts.set(shape.name, this.#host(shape));
      else present.shape = shape;
      this.#queue.add(shape.name);
    }
    return this.nodes.filter((node) => !wanted.has(node));
  }

  #host(shape: NodeShape): FleetHost {
    const { simulation } = this;
    const leases = this.#leases;
    const { renewLeases = true, adoptLapsed = true } = this.#options;
    const agent = this.#agent;
    const { name } = shape;
    let listening = false;
    return {
      name,
      shape,
      registered: false,
      shown: false,
      isFrozen: false,
      get address() {
        return this.shape.address;
      },
      get frozen() {
        return this.isFrozen;
      },
      // Made only for nodes that something is bound to.
      get driver() {
        const driver = simulation.driver(name);
        if (!listening) driver.onChange((id) => agent.machineChanged(name, id));
        listening = true;
        return driver;
      },
      get leaseHeld() {
        return renewLeases ? leases.held(name) : this.registered;
      },
      get mayAdopt() {
        return adoptLapsed || !leases.foundLapsed(name);
      },
    };
  }

  /** Sees to it that a node is registered and reported as it is. */
  async #keep(name: string): Promise<undefined> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    const shown = this.#nodes.get(name);
    if (shown !== undefined) host.shown = true;
    if (shown === undefined && host.registered) {
      // Somebody took it away: the fleet does not argue.
      if (host.shown) await this.#drop(host);
      return;
    }
    const node = shown ?? (await this.#create(host.shape));
    this.#freeze(host, node.metadata.annotations?.[FREEZE_ANNOTATION] === 'true');
    if (!host.isFrozen) await this.#report(host, node);
    if (host.registered) return;
    host.registered = true;
    this.#alive(host, node);
  }

  async #create(shape: NodeShape): Promise<Node> {
    const { client, clock } = this.#parts;
    try {
      return await client.create(NODES, nodeObject(shape, clock.now()));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return await client.get(NODES, shape.name);
    }
  }

  async #report(host: FleetHost, node: Node): Promise<void> {
    const { client, clock } = this.#parts;
    const labels = { ...nodeLabels(host.shape), ...node.metadata.labels };
    let current = node;
    if (Object.keys(labels).length > Object.keys(node.metadata.labels ?? {}).length) {
      current = await client.patch(NODES, host.name, { type: 'merge', body: { metadata: { labels } } });
    }
    const { capacity = {} } = current.status ?? {};
    const same = Object.entries(host.shape.resources).every(([name, amount]) => capacity[name] === amount);
    if (same && !seemsUnwell(current)) return;
    // A node whose lease has lapsed is well again only when it has been renewed.
    if (host.registered && !host.leaseHeld) return;
    const status = nodeStatus(host.shape, current.status, clock.now());
    await client.update(NODES, { ...current, status }, { subresource: 'status' });
  }

  #alive({ name }: FleetHost, { metadata }: Node): void {
    if (this.#options.renewLeases === false) {
      this.#agent.wake(name);
      return;
    }
    const { uid = '' } = metadata;
    this.#leases.add(name, { apiVersion: 'v1', kind: 'Node', name, uid });
  }

  #freeze(host: FleetHost, frozen: boolean): void {
    if (host.isFrozen === frozen) return;
    host.isFrozen = frozen;
    this.#leases.pause(host.name, frozen);
    // What happened meanwhile is looked at, but nothing is begun before the lease is renewed.
    if (!frozen) this.#agent.wake(host.name);
  }

  #held(node: string): void {
    this.#queue.add(node);
    this.#agent.wake(node);
  }

  async #lapsed(node: string): Promise<void> {
    const host = this.#hosts.get(node);
    if (host !== undefined) await this.#agent.fence(host);
  }

  async #deregister(name: string): Promise<void> {
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    await this.#drop(host);
    await this.#parts.client.delete(NODES, name).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  /** The node is no more: nor is anything that ran on it. */
  async #drop({ name, driver }: FleetHost): Promise<void> {
    this.#hosts.delete(name);
    this.#leases.remove(name);
    for (const { spec } of await driver.list()) await driver.remove(spec.id);
    this.simulation.remove(name);
    this.#agent.wake(name);
  }
}
