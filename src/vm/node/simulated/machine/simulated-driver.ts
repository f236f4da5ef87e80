import type { DiskContents } from '#api/disk/contents';
import {
  type Capabilities,
  type Device,
  type DiskHolder,
  InvalidStateError,
  isAlive,
  type Machine,
  type MachineDriver,
  type MachineListener,
  MachineNotFoundError,
  type MachineSnapshot,
  type MigrationRequest,
  type RestoreMark,
  type SnapshotRequest,
} from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import { NotSupportedError } from '../../not-supported-error.ts';
import { behaviourOf } from '../behaviour.ts';
import { withDevice, withoutDevice, withSize } from './hardware.ts';
import { SimulatedMachine } from './simulated-machine.ts';
import { claimOf, type Simulation } from './simulation.ts';
import {
  rebaseSnapshots,
  restoreClaims,
  restoreMachine,
  resumption,
  snapshotClaims,
  snapshotMachine,
} from './snapshots.ts';
import { startMigration } from './start-migration.ts';

const CAPABILITIES: Capabilities = {
  pause: true,
  reset: true,
  softReboot: true,
  migration: true,
  snapshots: true,
  memorySnapshots: true,
  resize: true,
  hotplugDisks: true,
  hotplugNics: true,
  console: false,
  vnc: false,
};

/** Runs the machines of one simulated node. */
export class SimulatedDriver implements MachineDriver {
  readonly name = 'simulated';
  readonly node: string;
  readonly simulation: Simulation;
  readonly #machines = new Map<string, SimulatedMachine>();
  readonly #listeners = new Set<MachineListener>();

  constructor(simulation: Simulation, node: string) {
    this.simulation = simulation;
    this.node = node;
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

  async adopt(spec: MachineSpec, known: { readonly startedAt: number; readonly paused: boolean }): Promise<Machine> {
    const present = this.#machines.get(spec.id);
    if (present !== undefined) return present.view();
    const uptime = Math.max(0, this.simulation.clock.now() - known.startedAt);
    const machine = this.#add(spec, { startedAt: known.startedAt, uptime });
    if (known.paused) machine.state = 'paused';
    else machine.run();
    return machine.view();
  }

  async start(spec: MachineSpec): Promise<Machine> {
    const present = this.#machines.get(spec.id);
    if (isAlive(present?.view())) return present.view();
    if (present !== undefined) throw new InvalidStateError('start', spec.id, 'it has terminated');
    const held = this.#holdersOfMemory(spec);
    if (held.length > 0) {
      const uptime = await this.#takeMemory(spec, held);
      if (!this.#machines.has(spec.id)) this.#add(spec, { uptime });
    }
    const machine = this.#machines.get(spec.id) ?? this.#add(spec);
    if (!spec.startPaused) machine.run();
    return machine.view();
  }

  async stop(id: string, graceMs: number): Promise<void> {
    const machine = this.find(id, 'stop');
    if (machine.state === 'incoming') {
      machine.end('Killed', 'it was stopped before the incoming migration finished');
      return;
    }
    machine.migrationOver('cancelled', 'the VM was stopped');
    machine.stop(graceMs);
  }

  async kill(id: string, message: string): Promise<void> {
    this.#machines.get(id)?.end('Killed', message);
  }

  async remove(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine === undefined) return;
    machine.end('Killed', 'it was deleted');
    this.#machines.delete(id);
    // The disks of a migrated machine are still in use elsewhere.
    if (machine.ended?.reason !== 'Migrated') this.simulation.forget(machine.spec);
  }

  async pause(id: string): Promise<void> {
    const machine = this.#running(id, 'pause');
    if (machine.state !== 'paused') machine.pause();
  }

  async resume(id: string): Promise<void> {
    const machine = this.#running(id, 'resume');
    if (machine.state !== 'running') machine.run();
  }

  async reset(id: string): Promise<void> {
    this.#running(id, 'reset').guest.begin();
    this.changed(id);
  }

  async softReboot(id: string): Promise<void> {
    const machine = this.#running(id, 'soft reboot');
    if (machine.state === 'paused') throw new InvalidStateError('soft reboot', id, 'it is paused');
    machine.guest.begin();
    this.changed(id);
  }

  async prepareIncoming(spec: MachineSpec, migrationUid: string): Promise<{ readonly address: string }> {
    const present = this.#machines.get(spec.id);
    if (isAlive(present?.view()) && !(present?.state === 'incoming' && present.expects === migrationUid)) {
      throw new InvalidStateError('migration', spec.id, 'it is already on this node');
    }
    if (present?.state !== 'incoming') {
      const machine = this.#add(spec);
      machine.state = 'incoming';
      machine.expects = migrationUid;
      this.changed(spec.id);
    }
    return { address: `${this.node}/${spec.id}` };
  }

  async migrate(id: string, request: MigrationRequest): Promise<void> {
    startMigration(this, this.#running(id, 'migration'), request);
  }

  async cancelMigration(id: string): Promise<void> {
    this.find(id, 'migration').migrationOver('cancelled', 'it was canceled');
    this.changed(id);
  }

  async snapshot(of: DiskHolder, request: SnapshotRequest): Promise<MachineSnapshot> {
    if (typeof of !== 'string') return await snapshotClaims(this.simulation, of, request);
    const machine = this.#running(of, 'snapshot');
    if (machine.migration?.state === 'active')
      throw new InvalidStateError('snapshot', of, 'it is being migrated to another node');
    return await snapshotMachine(this.simulation, machine, request);
  }

  async restore(of: DiskHolder, kept: MachineSnapshot, mark: RestoreMark): Promise<void> {
    if (typeof of !== 'string') {
      await restoreClaims(this.simulation, of, kept, mark);
      return;
    }
    await restoreMachine(this.simulation, this.#running(of, 'restore'), kept, mark);
    this.changed(of);
  }

  async deleteSnapshot(
    _kept: MachineSnapshot,
    { above, below }: { readonly above: readonly MachineSnapshot[]; readonly below?: MachineSnapshot },
  ): Promise<readonly MachineSnapshot[]> {
    return rebaseSnapshots(above, below);
  }

  async resize(id: string, size: { readonly sockets?: number; readonly memoryBytes?: number }): Promise<void> {
    const machine = this.#running(id, 'resize');
    machine.spec = withSize(machine.spec, size);
    this.changed(id);
  }

  async attach(id: string, device: Device): Promise<void> {
    const machine = this.#running(id, 'attach');
    machine.spec = withDevice(machine.spec, device);
    this.changed(id);
  }

  async detach(id: string, device: { readonly kind: 'disk' | 'nic'; readonly name: string }): Promise<void> {
    const machine = this.#running(id, 'detach');
    machine.spec = withoutDevice(machine.spec, device);
    this.changed(id);
  }

  async open(_id: string, what: 'console' | 'vnc'): Promise<never> {
    throw new NotSupportedError(this.name, what);
  }

  async screenshot(): Promise<never> {
    throw new NotSupportedError(this.name, 'a screenshot');
  }

  async guestAgent(): Promise<never> {
    throw new NotSupportedError(this.name, 'the guest agent');
  }

  async consoleLog(): Promise<never> {
    throw new NotSupportedError(this.name, 'the log of a console');
  }

  async connect(_id: string, port: number): Promise<never> {
    throw new NotSupportedError(this.name, `a connection to port ${port} of a guest`);
  }

  /** Returns what the guest sees on a disk. */
  async read(id: string, disk: string): Promise<DiskContents> {
    return await this.simulation.read(this.find(id, 'read').spec, disk);
  }

  /** Writes to a disk as the guest. `next` returns the new contents for the current ones. */
  async write(id: string, disk: string, next: (now: DiskContents) => DiskContents): Promise<void> {
    const machine = this.find(id, 'write');
    // A machine that ends meanwhile writes no more, even if the write is retried.
    const unlessEnded = (now: DiskContents) => (machine.state === 'ended' ? now : next(now));
    await machine.alone(() => this.simulation.change(machine.spec, disk, unlessEnded));
  }

  /** Returns the machine that waits for this migration. */
  waitingFor(id: string, migrationUid: string): SimulatedMachine | undefined {
    const machine = this.#machines.get(id);
    return machine?.state === 'incoming' && machine.expects === migrationUid ? machine : undefined;
  }

  /** Returns a machine that has not ended, or throws. */
  find(id: string, operation: string): SimulatedMachine {
    const machine = this.#machines.get(id);
    if (machine === undefined) throw new MachineNotFoundError(id);
    if (machine.state === 'ended') throw new InvalidStateError(operation, id, 'it has terminated');
    return machine;
  }

  changed(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  /** Returns the claims with which a restore has stored memory. */
  #holdersOfMemory({ namespace, disks }: MachineSpec): string[] {
    const { store } = this.simulation;
    const claims = disks.flatMap((disk) => claimOf(disk) ?? []);
    return claims.filter((claim) => store.known(namespace, claim)?.resume !== undefined);
  }

  /** Takes the stored memory and returns its uptime. It is used only once, so that it is never older than the disks. */
  async #takeMemory(spec: MachineSpec, claims: readonly string[]): Promise<number> {
    const found: (number | undefined)[] = [];
    for (const claim of claims) {
      let uptime: number | undefined;
      await this.simulation.store.change(spec.namespace, claim, (now) => {
        const { resume, ...rest } = now;
        uptime = resumption(resume, spec, this.simulation);
        return resume === undefined ? now : rest;
      });
      found.push(uptime);
    }
    // A disk that was missing at the last start still has the outdated memory of an earlier time.
    const needed = spec.disks.filter((disk) => !disk.readonly && claimOf(disk) !== undefined).length;
    return found.length < needed || found.some((uptime) => uptime !== found[0]) ? 0 : (found[0] ?? 0);
  }

  #running(id: string, operation: string): SimulatedMachine {
    const machine = this.find(id, operation);
    if (machine.state === 'incoming')
      throw new InvalidStateError(operation, id, 'its incoming migration has not finished');
    if (machine.state === 'stopping') throw new InvalidStateError(operation, id, 'it is shutting down');
    return machine;
  }

  #add(spec: MachineSpec, life: { startedAt?: number; uptime?: number } = {}): SimulatedMachine {
    const { clock, usual: fallback } = this.simulation;
    const behaviour = behaviourOf(spec.annotations, fallback);
    const machine = new SimulatedMachine(clock, spec, behaviour, () => this.changed(spec.id), life);
    this.#machines.set(spec.id, machine);
    return machine;
  }
}
