import {
  type Capabilities,
  type Device,
  isAlive,
  type Machine,
  type MachineDriver,
  type MachineListener,
  type MachineSnapshot,
  type MigrationRequest,
  NoSuchMachine,
  WrongState,
} from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import { NotSupported } from '../../not-supported.ts';
import { behaviourOf } from '../behaviour.ts';
import { resized, withDevice, withoutDevice } from './hardware.ts';
import { sendMachine } from './sending.ts';
import { SimulatedMachine } from './simulated-machine.ts';
import type { Simulation } from './simulation.ts';
import { deleteSnapshot, restoreSnapshot, takeSnapshot } from './snapshots.ts';

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

/** The machines of one simulated node. */
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
    if (present !== undefined) throw new WrongState('start', spec.id, 'it has ended');
    const machine = this.#add(spec);
    if (!spec.startPaused) machine.run();
    return machine.view();
  }

  async stop(id: string, graceMs: number): Promise<void> {
    const machine = this.find(id, 'stop');
    if (machine.state === 'incoming') {
      machine.end('Killed', 'it was stopped before it had come');
      return;
    }
    machine.migrationOver('cancelled', 'the machine is stopped');
    machine.stop(graceMs);
  }

  async kill(id: string, message: string): Promise<void> {
    this.#machines.get(id)?.end('Killed', message);
  }

  async remove(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (machine === undefined) return;
    machine.end('Killed', 'it was removed');
    this.#machines.delete(id);
    // What has gone elsewhere is still in use there.
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
    if (machine.state === 'paused') throw new WrongState('soft reboot', id, 'it is paused');
    machine.guest.begin();
    this.changed(id);
  }

  async prepareIncoming(spec: MachineSpec, migrationUid: string): Promise<{ readonly address: string }> {
    const present = this.#machines.get(spec.id);
    if (isAlive(present?.view()) && !(present?.state === 'incoming' && present.expects === migrationUid)) {
      throw new WrongState('migration', spec.id, 'it is here already');
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
    sendMachine(this, this.#running(id, 'migration'), request);
  }

  async cancelMigration(id: string): Promise<void> {
    this.find(id, 'migration').migrationOver('cancelled', 'it was given up');
    this.changed(id);
  }

  async snapshot(id: string, options: { readonly name: string; readonly memory: boolean }): Promise<MachineSnapshot> {
    return takeSnapshot(this.simulation, this.#running(id, 'snapshot'), options);
  }

  async restore(id: string, name: string): Promise<void> {
    restoreSnapshot(this.simulation, this.#running(id, 'restore'), name);
    this.changed(id);
  }

  async deleteSnapshot(id: string, name: string): Promise<void> {
    deleteSnapshot(this.simulation, this.find(id, 'snapshot deletion'), name);
  }

  async resize(id: string, size: { readonly sockets?: number; readonly memoryBytes?: number }): Promise<void> {
    const machine = this.#running(id, 'resize');
    machine.spec = resized(machine.spec, size);
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
    throw new NotSupported(this.name, what);
  }

  /** What the guest has on a disk. */
  readBlock(id: string, disk: string, block: number): string {
    return this.simulation.contents(this.find(id, 'read').spec, disk).read(block);
  }

  /** The guest writes to a disk. */
  writeBlock(id: string, disk: string, block: number, content: string): void {
    this.simulation.contents(this.find(id, 'write').spec, disk).write(block, content);
  }

  /** The machine that waits for this very transfer. */
  waitingFor(id: string, migrationUid: string): SimulatedMachine | undefined {
    const machine = this.#machines.get(id);
    return machine?.state === 'incoming' && machine.expects === migrationUid ? machine : undefined;
  }

  /** A machine that is there and has not ended. */
  find(id: string, operation: string): SimulatedMachine {
    const machine = this.#machines.get(id);
    if (machine === undefined) throw new NoSuchMachine(id);
    if (machine.state === 'ended') throw new WrongState(operation, id, 'it has ended');
    return machine;
  }

  changed(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }

  #running(id: string, operation: string): SimulatedMachine {
    const machine = this.find(id, operation);
    if (machine.state === 'incoming') throw new WrongState(operation, id, 'it has not come yet');
    if (machine.state === 'stopping') throw new WrongState(operation, id, 'it is shutting down');
    return machine;
  }

  #add(spec: MachineSpec, life: { startedAt?: number; uptime?: number } = {}): SimulatedMachine {
    const { clock, usual } = this.simulation;
    const behaviour = behaviourOf(spec.annotations, usual);
    const machine = new SimulatedMachine(clock, spec, behaviour, () => this.changed(spec.id), life);
    this.#machines.set(spec.id, machine);
    return machine;
  }
}
