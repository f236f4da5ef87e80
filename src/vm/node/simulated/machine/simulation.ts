import { BLANK_DISK, type DiskContents } from '#api/disk/contents';
import type { Clock } from '#platform/base/clock';
import type { DiskStore } from '#vm/storage/disk/disk-store';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { MemoryDisks } from './memory-disks.ts';
import { SimulatedDriver } from './simulated-driver.ts';
import { Transfers } from './transfers.ts';

export interface SimulationOptions {
  readonly clock: Clock;
  /** Contents of claims. Defaults to memory that is lost with the process. */
  readonly store?: DiskStore;
  /** Bandwidth of a node's network interface in bytes per second. Defaults to 10 Gbit/s. */
  readonly link?: number;
  /** Default annotations for machines that do not set their own. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Time that a migration may make no progress before it fails. */
  readonly migrationTimeoutMs?: number;
}

const LINK = 1.25e9;

/** State shared by all simulated nodes: the network between them, and volumes that every node can use. */
export class Simulation {
  readonly clock: Clock;
  readonly transfers: Transfers;
  readonly usual: Readonly<Record<string, string>>;
  readonly #drivers = new Map<string, SimulatedDriver>();
  readonly store: DiskStore;
  /** Disks that are deleted with their machine, by machine ID and disk name. */
  readonly #passing = new Map<string, DiskContents>();

  constructor({ clock, store = new MemoryDisks(), link = LINK, defaults = {}, migrationTimeoutMs }: SimulationOptions) {
    this.clock = clock;
    this.store = store;
    this.usual = defaults;
    this.transfers = new Transfers({
      clock,
      link,
      ...(migrationTimeoutMs === undefined ? {} : { timeoutMs: migrationTimeoutMs }),
    });
  }

  /** Returns the driver of a node, always the same one. */
  driver(node: string): SimulatedDriver {
    let driver = this.#drivers.get(node);
    if (driver === undefined) {
      driver = new SimulatedDriver(this, node);
      this.#drivers.set(node, driver);
    }
    return driver;
  }

  /** Returns the node that listens on an address. */
  at(address: string): SimulatedDriver | undefined {
    return this.#drivers.get(address.slice(0, address.lastIndexOf('/')));
  }

  /** Returns the contents of a disk. Those of a claim are retained for its next user. */
  async read(spec: MachineSpec, name: string): Promise<DiskContents> {
    const claim = claimOf(diskOf(spec, name));
    if (claim !== undefined) return await this.store.read(spec.namespace, claim);
    return this.#passing.get(keyOf(spec, name)) ?? BLANK_DISK;
  }

  async change(spec: MachineSpec, name: string, next: (now: DiskContents) => DiskContents): Promise<void> {
    const claim = claimOf(diskOf(spec, name));
    if (claim !== undefined) await this.store.change(spec.namespace, claim, next);
    else this.#passing.set(keyOf(spec, name), next(this.#passing.get(keyOf(spec, name)) ?? BLANK_DISK));
  }

  /** Deletes the disks that only a removed machine could see. */
  forget(spec: MachineSpec): void {
    for (const { name } of spec.disks) this.#passing.delete(keyOf(spec, name));
  }

  remove(node: string): void {
    this.#drivers.delete(node);
  }
}

const keyOf = ({ id }: MachineSpec, name: string) => `${id}/${name}`;
const diskOf = ({ disks }: MachineSpec, name: string) => disks.find((disk) => disk.name === name);

/** Returns the claim of a disk, if it has one. */
export function claimOf(disk: MachineDisk | undefined): string | undefined {
  return disk?.volume.persistentVolumeClaim?.claimName ?? disk?.volume.dataVolume?.name;
}
