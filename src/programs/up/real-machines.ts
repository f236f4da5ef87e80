import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCidr } from '#platform/base/cidr';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Informers } from '#platform/runtime/informers';
import type { Runnable } from '#platform/runtime/runnable';
import type { ImageFlags } from '#programs/cli/image-flags';
import { availableBytes } from '#vm/image-store/image-limits';
import type { ImageStore } from '#vm/image-store/image-store';
import { claimReader } from '#vm/node/claim-reader';
import { nodeObjects } from '#vm/node/node-objects';
import { ClaimFiles } from '#vm/node/qemu/disks/claim-files';
import { ImageDisks } from '#vm/node/qemu/disks/image-disks';
import { type DiskSources, prepareDisks, requireDisks } from '#vm/node/qemu/disks/prepare-disks';
import { prepareHost } from '#vm/node/qemu/host/prepare-host';
import { QemuDriver } from '#vm/node/qemu/qemu-driver';
import { NodePortProxy } from '#vm/node/qemu/services/node-port-proxy';
import type { ServiceTarget } from '#vm/node/qemu/services/service-targets';
import { secretReader } from '#vm/node/secret-reader';
import { type NodePool, shapesOf } from '#vm/node/simulated/node-pool';
import { NODE_RANGE } from '#vm/node/simulated/simulated-fleet';
import type { DriverAccess, EdgeParts } from './embedded-options.ts';
import { openImageStore } from './open-image-store.ts';

/** Maximum time that guests may take to shut down when the process ends. */
const SHUTDOWN_GRACE_MS = 30_000;

export interface RealMachinesOptions {
  readonly pools: readonly NodePool[];
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly images: ImageFlags;
  readonly hostDiskDirs: readonly string[];
}

/** Returns the names of the nodes that run real machines. */
function realNodes(pools: readonly NodePool[]): string[] {
  return shapesOf(pools, parseCidr(NODE_RANGE)).flatMap(({ name, runtime }) => (runtime === 'qemu' ? [name] : []));
}

/** Real machines of this process, on all of its nodes. */
export class RealMachines {
  readonly #options: RealMachinesOptions;
  #drivers: ReadonlyMap<string, QemuDriver> = new Map();
  #store: ImageStore | undefined;
  #files: ClaimFiles | undefined;

  constructor(options: RealMachinesOptions) {
    this.#options = options;
  }

  /** Opens the drivers of all nodes that run real machines, each with the machines that it left there. */
  async open({ clusterUid, clientOfNode }: DriverAccess): Promise<ReadonlyMap<string, QemuDriver>> {
    const { pools, dataDir, clock, log } = this.#options;
    const nodes = realNodes(pools);
    if (nodes.length === 0) return this.#drivers;
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const ready = await prepareHost({ clock, dataDir, bootId });
    const sourcesOf = this.#diskSources(clientOfNode);
    const open = (node: string) => {
      const sources = sourcesOf(node);
      return QemuDriver.open({
        clock,
        log,
        ...ready,
        root: join(dataDir, 'machines', node),
        cluster: clusterUid,
        node,
        bootId,
        requireDisks: (spec) => requireDisks(spec, sources),
        prepareDisks: (spec, directory) => prepareDisks(spec, directory, sources),
      });
    };
    this.#drivers = new Map(await Promise.all(nodes.map(async (node) => [node, await open(node)] as const)));
    return this.#drivers;
  }

  /** Returns what real machines contribute to the components. */
  edgeParts(): Required<Pick<EdgeParts, 'openDrivers' | 'deleteClaim' | 'serviceProxy'>> {
    return {
      openDrivers: (access) => this.open(access),
      deleteClaim: (uid) => this.#claims().remove(uid),
      serviceProxy: (informers) => this.#serviceProxy(informers),
    };
  }

  /** Returns what the disks of a node's machines are filled with. All nodes share the images of the host. */
  #diskSources(clientOfNode: DriverAccess['clientOfNode']): (node: string) => DiskSources {
    const { dataDir, clock, log, images, hostDiskDirs: hostDirectories } = this.#options;
    const { store } = openImageStore(dataDir, images, { clock, log });
    this.#store = store;
    const files = this.#claims();
    return (node) => {
      const client = clientOfNode(node);
      const objects = nodeObjects(client);
      const secrets = secretReader(objects);
      const claims = claimReader(client);
      const shared = { store, files, hostDirectories, availableBytes: () => availableBytes(dataDir) };
      return { images: new ImageDisks({ ...shared, secrets, claims }), objects };
    };
  }

  #claims(): ClaimFiles {
    this.#files ??= new ClaimFiles(join(this.#options.dataDir, 'claims'));
    return this.#files;
  }

  /** Makes Services reachable whose guests run on these nodes. */
  #serviceProxy(informers: Informers): Runnable {
    const connect = ({ node, machine, port }: ServiceTarget) => this.#drivers.get(node)?.connect(machine, port);
    return new NodePortProxy({ informers, log: this.#options.log, connect });
  }

  /** Shuts all guests down, or leaves them running for the next process. */
  async close({ leave }: { readonly leave: boolean }): Promise<void> {
    this.#store?.close();
    const drivers = [...this.#drivers.values()];
    if (!leave) await Promise.all(drivers.map((driver) => driver.shutDown(SHUTDOWN_GRACE_MS)));
    for (const driver of drivers) driver.close();
  }
}
