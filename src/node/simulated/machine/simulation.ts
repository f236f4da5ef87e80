import type { Clock } from '../../../base/clock.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import { DiskChain } from './disk-chain.ts';
import { SimulatedDriver } from './simulated-driver.ts';
import { Transfers } from './transfers.ts';

export interface SimulationOptions {
  readonly clock: Clock;
  /** Bytes a second of the network card of a node; 10 Gbit/s where absent. */
  readonly link?: number;
  /** Annotations that hold for machines that say nothing themselves. */
  readonly usual?: Readonly<Record<string, string>>;
  /** How long a migration may come no nearer to its end before it fails. */
  readonly migrationPatienceMs?: number;
}

const LINK = 1.25e9;

/** What all simulated nodes share: the network between them, and volumes that can be used from everywhere. */
export class Simulation {
  readonly clock: Clock;
  readonly transfers: Transfers;
  readonly usual: Readonly<Record<string, string>>;
  readonly #drivers = new Map<string, SimulatedDriver>();
  readonly #volumes = new Map<string, DiskChain>();

  constructor({ clock, link = LINK, usual = {}, migrationPatienceMs }: SimulationOptions) {
    this.clock = clock;
    this.usual = usual;
    this.transfers = new Transfers({
      clock,
      link,
      ...(migrationPatienceMs === undefined ? {} : { patienceMs: migrationPatienceMs }),
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

  /** The contents of a disk: those of a claim stay for whoever uses it next. */
  contents(spec: MachineSpec, disk: string): DiskChain {
    const key = contentsKey(spec, disk);
    let chain = this.#volumes.get(key);
    if (chain === undefined) {
      chain = new DiskChain();
      this.#volumes.set(key, chain);
    }
    return chain;
  }

  /** A machine is gone for good: what only it could see goes too. */
  forget(spec: MachineSpec): void {
    for (const { name } of spec.disks) {
      const key = contentsKey(spec, name);
      if (key.startsWith('machine/')) this.#volumes.delete(key);
    }
  }

  /** A claim is gone: so is what was on it. */
  forgetClaim(namespace: string, claim: string): void {
    this.#volumes.delete(`claim/${namespace}/${claim}`);
  }

  remove(node: string): void {
    this.#drivers.delete(node);
  }
}

function contentsKey({ id, namespace, disks }: MachineSpec, name: string): string {
  const volume = disks.find((disk) => disk.name === name)?.volume;
  const claim = volume?.persistentVolumeClaim?.claimName ?? volume?.dataVolume?.name;
  return claim === undefined ? `machine/${id}/${name}` : `claim/${namespace}/${claim}`;
}
