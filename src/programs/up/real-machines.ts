import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCidr } from '#platform/base/cidr';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import { LocalImages } from '#vm/node/qemu/disks/local-images';
import { prepareDisks } from '#vm/node/qemu/disks/prepare-disks';
import { prepareHost } from '#vm/node/qemu/host/prepare-host';
import { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { NodePortProxy } from '#vm/node/qemu/services/node-port-proxy';
import type { ServiceTarget } from '#vm/node/qemu/services/service-targets';
import { type NodePool, shapesOf } from '#vm/node/simulated/node-pool';
import { NODE_RANGE } from '#vm/node/simulated/simulated-fleet';

/** How long guests may take to shut down when the process ends. */
const SHUTDOWN_GRACE_MS = 30_000;

export interface RealMachinesOptions {
  readonly pools: readonly NodePool[];
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Directory of images on this host. */
export const imagesDirectory = (dataDir: string) => join(dataDir, 'images');

/** Returns the names of the nodes that run real machines. */
function realNodes(pools: readonly NodePool[]): string[] {
  return shapesOf(pools, parseCidr(NODE_RANGE)).flatMap(({ name, runtime }) => (runtime === 'qemu' ? [name] : []));
}

/** Real machines of this process, on all of its nodes. */
export class RealMachines {
  readonly #options: RealMachinesOptions;
  #drivers: ReadonlyMap<string, QemuDriver> = new Map();

  constructor(options: RealMachinesOptions) {
    this.#options = options;
  }

  /** Opens the drivers of all nodes that run real machines, each with the machines that it left there. */
  async open(cluster: string): Promise<ReadonlyMap<string, QemuDriver>> {
    const { pools, dataDir, clock, log } = this.#options;
    const nodes = realNodes(pools);
    if (nodes.length === 0) return this.#drivers;
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const ready = await prepareHost({ clock, dataDir, bootId });
    const images = new LocalImages(imagesDirectory(dataDir));
    const open = (node: string) =>
      QemuDriver.open({
        clock,
        log,
        ...ready,
        root: join(dataDir, 'machines', node),
        cluster,
        node,
        bootId,
        prepareDisks: (spec, directory) => prepareDisks(spec, directory, images),
      });
    this.#drivers = new Map(await Promise.all(nodes.map(async (node) => [node, await open(node)] as const)));
    return this.#drivers;
  }

  /** Makes Services reachable whose guests run on these nodes. */
  serviceProxy(informers: Informers): Runnable {
    const connect = ({ node, machine, port }: ServiceTarget) => this.#drivers.get(node)?.connect(machine, port);
    return new NodePortProxy({ informers, log: this.#options.log, connect });
  }

  /** Shuts all guests down, or leaves them running for the next process. */
  async close({ leave }: { readonly leave: boolean }): Promise<void> {
    const drivers = [...this.#drivers.values()];
    if (!leave) await Promise.all(drivers.map((driver) => driver.shutDown(SHUTDOWN_GRACE_MS)));
    for (const driver of drivers) driver.close();
  }
}
