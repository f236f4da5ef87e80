import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Clock } from '#platform/base/clock';
import { createDirectory } from '#platform/base/directory';
import type { Logger } from '#platform/base/logger';
import type { ContainerLog } from '#platform/kube/node-runtime';
import type { DriverCondition, DriverFacts } from '../driver-facts.ts';
import {
  type Capabilities,
  type ConsoleOptions,
  type GuestAgent,
  InvalidStateError,
  isAlive,
  type Machine,
  type MachineDriver,
  type MachineListener,
  MachineNotFoundError,
  type MachineSnapshot,
} from '../machine-driver.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { NotSupportedError } from '../not-supported-error.ts';
import { qemuCommand } from './command/qemu-command.ts';
import type { PreparedDisk, QemuHost } from './command/qemu-host.ts';
import { MachineDirectory } from './directory/machine-directory.ts';
import { type MachineRecord, withoutInlineData } from './directory/machine-record.ts';
import { fitsHost, hostFullError } from './host/host-capacity.ts';
import { type HostMachine, readHostMachines } from './host/host-machines.ts';
import { machineLimits } from './isolation/cgroup-layout.ts';
import type { Cgroups } from './isolation/cgroups.ts';
import { handOver } from './isolation/hand-over.ts';
import { isolatedLaunch } from './isolation/isolated-launch.ts';
import { type Isolation, machineUid } from './isolation/isolation.ts';
import { isProcessAlive, killKeeper, qemuPid } from './keeper/keeper-process.ts';
import { type SpawnedKeeper, spawnKeeper } from './keeper/spawn-keeper.ts';
import { QemuMachine } from './qemu-machine.ts';

export interface QemuDriverOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly host: QemuHost;
  /** Directory of all machine directories. */
  readonly root: string;
  /** UID of the cluster, which marks the machines that belong to it. */
  readonly cluster: string;
  readonly node: string;
  /** Identifies the boot of the host. */
  readonly bootId: string;
  /** Checks that the disks of a machine can be prepared. Throws if not, or not yet. */
  readonly requireDisks?: (spec: MachineSpec) => Promise<void>;
  /** How machines are isolated from the host. */
  readonly isolation: Isolation;
  /** Limits the resources of machines. */
  readonly cgroups: Cgroups;
  /** Memory of the host, which all instances of Vimana on it share. If absent, it is not checked. */
  readonly capacityBytes?: number;
  /** Finds the machines of all instances. Tests count only their own. */
  readonly hostMachines?: () => Promise<readonly HostMachine[]>;
  /** Facts about the host that the Node and the instances on it report. */
  readonly facts?: DriverFacts;
  readonly conditions?: readonly DriverCondition[];
  /** Prepares the disks of a machine in its directory. Throws if one of them cannot be used. */
  readonly prepareDisks: (spec: MachineSpec, directory: string) => Promise<readonly PreparedDisk[]>;
}

const CAPABILITIES: Capabilities = {
  pause: true,
  reset: true,
  softReboot: true,
  migration: false,
  snapshots: false,
  memorySnapshots: false,
  resize: false,
  hotplugDisks: false,
  hotplugNics: false,
  console: true,
  vnc: true,
};

/** Runs machines as QEMU processes that outlive the node agent. What it must know after a restart is on disk. */
export class QemuDriver implements MachineDriver {
  readonly name = 'qemu';
  readonly facts: DriverFacts;
  readonly #options: QemuDriverOptions;
  readonly #machines = new Map<string, QemuMachine>();
  readonly #starting = new Map<string, Promise<Machine>>();
  /** Users of machines that are being started. */
  readonly #uids = new Map<string, number>();
  readonly #listeners = new Set<MachineListener>();

  private constructor(options: QemuDriverOptions) {
    this.#options = options;
    this.facts = options.facts ?? { labels: {}, conditions: [] };
  }

  /** Opens the driver with all machines that an earlier one left, so that its list is complete from the start. */
  static async open(options: QemuDriverOptions): Promise<QemuDriver> {
    const driver = new QemuDriver(options);
    createDirectory(options.root);
    const directories = await MachineDirectory.list(options.root);
    await Promise.all(directories.map((directory) => driver.#adopt(directory)));
    return driver;
  }

  capabilities(): Capabilities {
    return CAPABILITIES;
  }

  async list(): Promise<readonly Machine[]> {
    return [...this.#machines.values()].map((machine) => machine.view());
  }

  async inspect(id: string): Promise<Machine | undefined> {
    return this.#machines.get(id)?.view();
  }

  onChange(listener: MachineListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async adopt(spec: MachineSpec): Promise<Machine | undefined> {
    return await this.inspect(spec.id);
  }

  async start(spec: MachineSpec): Promise<Machine> {
    const present = this.#machines.get(spec.id)?.view();
    if (isAlive(present)) return present;
    if (present !== undefined) throw new InvalidStateError('start', spec.id, 'it has terminated');
    const starting = this.#starting.get(spec.id) ?? this.#start(spec);
    this.#starting.set(spec.id, starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(spec.id);
      this.#uids.delete(spec.id);
    }
  }

  async stop(id: string, graceMs: number): Promise<void> {
    const machine = this.#find(id, 'stop');
    await machine.stop(graceMs);
  }

  async kill(id: string, message: string): Promise<void> {
    await this.#machines.get(id)?.end({ reason: 'Killed', message });
  }

  async remove(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine === undefined) return;
    await machine.end({ reason: 'Killed', message: 'it was deleted' });
    this.#machines.delete(id);
    await machine.directory.remove();
  }

  async pause(id: string): Promise<void> {
    await this.#find(id, 'pause').pause();
  }

  async resume(id: string): Promise<void> {
    await this.#find(id, 'resume').resume();
  }

  async reset(id: string): Promise<void> {
    await this.#find(id, 'reset').reset();
  }

  async softReboot(id: string): Promise<void> {
    await this.#find(id, 'soft reboot').softReboot();
  }

  async open(id: string, what: 'console' | 'vnc', options?: ConsoleOptions): Promise<Duplex> {
    return await this.#find(id, what).open(what, options);
  }

  async screenshot(id: string): Promise<Uint8Array> {
    return await this.#find(id, 'a screenshot').screenshot();
  }

  async guestAgent(id: string): Promise<GuestAgent> {
    return this.#find(id, 'the guest agent').agent;
  }

  async consoleLog(id: string, signal: AbortSignal): Promise<ContainerLog> {
    return this.#find(id, 'the console log').consoleLog(signal);
  }

  /** Connects to a TCP port of a guest, at the address that was assigned to it. */
  async connect(id: string, port: number): Promise<Duplex> {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`there is no TCP port ${port}`);
    return await this.#find(id, 'connecting').connect(port);
  }

  async prepareIncoming(): Promise<never> {
    throw new NotSupportedError(this.name, 'migration');
  }

  async migrate(): Promise<never> {
    throw new NotSupportedError(this.name, 'migration');
  }

  async cancelMigration(id: string): Promise<void> {
    this.#find(id, 'migration');
  }

  async snapshot(): Promise<never> {
    throw new NotSupportedError(this.name, 'snapshot');
  }

  async restore(): Promise<never> {
    throw new NotSupportedError(this.name, 'restore');
  }

  async deleteSnapshot(): Promise<readonly MachineSnapshot[]> {
    throw new NotSupportedError(this.name, 'snapshot');
  }

  async resize(): Promise<never> {
    throw new NotSupportedError(this.name, 'resize');
  }

  async attach(): Promise<never> {
    throw new NotSupportedError(this.name, 'hot-plug');
  }

  async detach(): Promise<never> {
    throw new NotSupportedError(this.name, 'hot-unplug');
  }

  /** Shuts all guests down, and resolves when none runs. */
  async shutDown(graceMs: number): Promise<void> {
    const alive = [...this.#machines.values()].filter((machine) => isAlive(machine.view()));
    await Promise.all(
      alive.map(async (machine) => {
        await machine.stop(graceMs);
        await machine.waitForEnd();
      }),
    );
  }

  /** Forgets all machines without touching them, for a node agent that ends before them. */
  close(): void {
    for (const machine of this.#machines.values()) machine.detach();
    this.#machines.clear();
  }

  async #start(spec: MachineSpec): Promise<Machine> {
    const { root, cluster, node, bootId, clock, isolation, cgroups } = this.#options;
    // An unsupported spec is rejected before anything is created.
    this.#command(spec, spec.disks.map(placeholderDisk));
    await this.#options.requireDisks?.(spec);
    const record: MachineRecord = {
      version: 1,
      cluster,
      node,
      bootId,
      startedAt: clock.now(),
      ...(isolation.user === 'uid' ? { uid: this.#reserveUid(spec.id) } : {}),
      cgroups: cgroups.directoriesOf(this.#groupOf(spec.id)),
      spec: withoutInlineData(spec),
    };
    await this.#assertCapacity(spec);
    const directory = await MachineDirectory.create(root, record);
    const machine = this.#add(record, directory);
    try {
      await machine.attach(await this.#spawn(spec, machine));
      await this.#assertCapacity(spec, directory);
      if (!spec.startPaused && isAlive(machine.view())) await machine.resume();
      this.#changed(spec.id);
      return machine.view();
    } catch (error) {
      await this.remove(spec.id);
      throw error;
    }
  }

  /** Returns a user that no other machine here has, also none that is being started at this moment. */
  #reserveUid(id: string): number {
    const others = [...this.#machines].flatMap(([other, { uid }]) => (other === id ? [] : (uid ?? [])));
    const uid = machineUid(id, new Set([...others, ...this.#uids.values()]));
    this.#uids.set(id, uid);
    return uid;
  }

  async #spawn(spec: MachineSpec, { directory: { path }, uid, cgroups }: QemuMachine): Promise<SpawnedKeeper> {
    const { isolation, prepareDisks, host } = this.#options;
    const { sockets, cores, threads } = spec.cpu;
    const { disks, bound } = await handOver(path, await prepareDisks(spec, path), uid);
    await this.#options.cgroups.create(
      this.#groupOf(spec.id),
      machineLimits(spec.memoryBytes, sockets * cores * threads),
    );
    const launch = isolatedLaunch({ isolation, uid, bound, kvmGroup: host.kvmGroup });
    return await spawnKeeper(path, { ...launch, cgroups, qemu: this.#command(spec, disks) });
  }

  /** Returns the name of a machine's cgroup, which no other instance on the host uses. */
  #groupOf(id: string): string {
    return `${createHash('sha256').update(this.#options.root).digest('hex').slice(0, 12)}-${id}`;
  }

  /**
   * Throws if the host has no room for a machine beside those of all instances. It is checked before the start and,
   * while the guest is paused, after it: of two that were started at once, the later one gives way.
   */
  async #assertCapacity({ memoryBytes }: MachineSpec, started?: MachineDirectory): Promise<void> {
    const { capacityBytes, hostMachines = readHostMachines } = this.#options;
    if (capacityBytes === undefined) return;
    const present = await hostMachines();
    const pid = started === undefined ? undefined : await qemuPid(started);
    const next = { pid: 0, startedAt: Number.POSITIVE_INFINITY, memoryBytes };
    const machines = pid === undefined ? [...present, next] : present;
    if (!fitsHost(machines, capacityBytes, pid)) throw hostFullError(present, capacityBytes);
  }

  #command(spec: MachineSpec, disks: readonly PreparedDisk[]): string[] {
    const { host, isolation } = this.#options;
    return qemuCommand(spec, disks, { ...host, outbound: isolation.network === 'internet' });
  }

  async #adopt(directory: MachineDirectory): Promise<void> {
    const { cluster, node, bootId, log, clock } = this.#options;
    const record = await directory.record();
    if (record?.cluster !== cluster || record.node !== node) {
      log.warn({ directory: directory.path }, 'found a machine directory of another cluster or node and left it alone');
      return;
    }
    const machine = this.#add(record, directory);
    if (record.bootId !== bootId) {
      await machine.end({ reason: 'Killed', message: 'the host was restarted' });
      return;
    }
    const wasSpawned = (await directory.text('pid')) !== undefined || (await isProcessAlive(directory));
    if (wasSpawned) return await machine.attach();
    // The node agent ended before it started the machine, which therefore never ran.
    this.#machines.delete(record.spec.id);
    await killKeeper(directory, clock);
    await directory.remove();
  }

  #add(record: MachineRecord, directory: MachineDirectory): QemuMachine {
    const { clock, log, isolation, conditions = [] } = this.#options;
    const onChange = (id: string) => this.#changed(id);
    const machine = new QemuMachine(record, directory, { clock, log, onChange, isolation, conditions });
    this.#machines.set(record.spec.id, machine);
    return machine;
  }

  /** Returns a machine that has not ended, or throws. */
  #find(id: string, operation: string): QemuMachine {
    const machine = this.#machines.get(id);
    if (machine === undefined) throw new MachineNotFoundError(id);
    machine.assertAlive(operation);
    return machine;
  }

  #changed(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

function placeholderDisk({ name, readonly }: MachineSpec['disks'][number]): PreparedDisk {
  return { name, file: name, format: 'raw', readonly };
}
