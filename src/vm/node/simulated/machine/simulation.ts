import { BLANK_DISK, type DiskContents } from '#api/disk/contents';
import type { Clock } from '#platform/base/clock';
import type { DiskStore } from '#vm/storage/disk/disk-store';
import type { MachineDisk, MachineSpec } from '../../machine-spec.ts';
import { MemoryDisks } from './memory-disks.ts';
import { SimulatedDriver } from './simulated-driver.ts';
import { Transfers } from './transfers.ts';

export interface SimulationOptions {
  readonly clock: Clock;
  /** What is on claims; forgotten with the process where absent. */
  readonly store?: DiskStore;
  /** Bytes a second of the network card of a node; 10 Gbit/s where absent. */
  readonly link?: number;
  /** Annotations that hold for machines that say nothing themselves. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** How long a migration may come no nearer to its end before it fails. */
  readonly migrationTimeoutMs?: number;
}

const LINK = 1.25e9;

/** What all simulated nodes share: the network between them, and volumes that can be used from everywhere. */
export class Simulation {
  readonly clock: Clock;
  readonly transfers: Transfers;
  readonly usual: Readonly<Record<string, string>>;
  readonly #drivers = new Map<string, SimulatedDriver>();
  readonly store: DiskStore;
  /** Disks that go with their machine, by its id and their name. */
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

  /** The driver of a node; the same one each time. */
  driver(node: string): SimulatedDriver {
    let driver = this.#drivers.get(node);
    if (driver === undefined) {
      driver = new SimulatedDriver(this, node);
      this.#drivers.set(node, driver);
    }
    return driver;
  }

  /** The node that listens at an address. */
  at(address: string): SimulatedDriver | undefined {
    return this.#drivers.get(address.slice(0, address.lastIndexOf('/')));
  }

  /** What is on a disk: that of a claim stays for whoever uses it next. */
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

  /** A machine is gone for good: what only it could see goes too. */
  forget(spec: MachineSpec): void {
    for (const { name } of spec.disks) this.#passing.delete(keyOf(spec, name));
  }

  remove(node: string): void {
    this.#drivers.delete(node);
  }
}

const keyOf = ({ id }: MachineSpec, name: string) => `${id}/${name}`;
const diskOf = ({ disks }: MachineSpec, name: string) => disks.find((disk) => disk.name === name);

/** The claim that a disk is, where it is one. */
export function claimOf(disk: MachineDisk | undefined): string | undefined {
  return disk?.volume.persistentVolumeClaim?.claimName ?? disk?.volume.dataVolume?.name;
}
