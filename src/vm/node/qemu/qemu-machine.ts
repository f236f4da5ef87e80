import { chmod, chown } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { ContainerLog } from '#platform/kube/node-runtime';
import { availableBytes } from '#vm/image-store/image-limits';
import type { DriverCondition } from '../driver-facts.ts';
import { GuestConnectionError, InvalidStateError, type Machine, type MachineExit } from '../machine-driver.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { NotSupportedError } from '../not-supported-error.ts';
import { netdevId } from './command/nic-arguments.ts';
import { AGENT_CHANNEL, QEMU_FILES, SOCKETS_DIRECTORY } from './command/qemu-command.ts';
import { ConsoleHub } from './console/console-hub.ts';
import { consoleLog } from './console/console-log.ts';
import { readSerialLog } from './console/serial-log.ts';
import type { MachineDirectory } from './directory/machine-directory.ts';
import type { MachineRecord } from './directory/machine-record.ts';
import { waitForChange } from './directory/wait-for-change.ts';
import { endByExitStatus, endByRunState, type MachineEnd } from './exit-reason.ts';
import { FullDisk } from './full-disk.ts';
import { GuestWatch } from './guest-agent/guest-watch.ts';
import { QemuGuestAgent } from './guest-agent/qemu-guest-agent.ts';
import { removeCgroups, wasOutOfMemory } from './isolation/cgroups.ts';
import type { Isolation } from './isolation/isolation.ts';
import { hasProcessIds, isProcessAlive, killKeeper, qemuPid } from './keeper/keeper-process.ts';
import type { SpawnedKeeper } from './keeper/spawn-keeper.ts';
import { connectToGuest } from './network/guest-connection.ts';
import { guestNetwork } from './network/guest-network.ts';
import { forwardCommands, forwardEndpoint } from './network/usernet.ts';
import { connectSocket } from './qmp/connect-socket.ts';
import { QmpClient, type QmpEvent } from './qmp/qmp-client.ts';
import { QmpConnectionError } from './qmp/qmp-error.ts';
import { takeScreenshot } from './screenshot.ts';

export interface QemuMachineDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: (id: string) => void;
  readonly isolation: Isolation;
  /** Conditions of every machine of this host. */
  readonly conditions: readonly DriverCondition[];
}

/** A guest that boots loses a press of its power button, so that it is pressed again. */
const POWER_BUTTON_MS = 2_000;
const CONNECT_TIMEOUT_MS = 60_000;
const EXIT_TIMEOUT_MS = 10_000;
const CONNECT_GUEST_TIMEOUT_MS = 10_000;
/** Events after which the run state may be another. */
const STATE_EVENTS = new Set(['STOP', 'RESUME', 'SHUTDOWN', 'RESET', 'GUEST_PANICKED', 'BLOCK_IO_ERROR']);

/** The guest agent has opened or closed its end of the channel. */
const AGENT_EVENT = 'VSERPORT_CHANGE';

/** A machine whose QEMU this node agent started or adopted. Its state is what QEMU and its keeper report. */
export class QemuMachine {
  readonly spec: MachineSpec;
  readonly startedAt: number;
  readonly directory: MachineDirectory;
  readonly uid: number | undefined;
  readonly cgroups: readonly string[];
  readonly #deps: QemuMachineDeps;
  readonly #console: ConsoleHub;
  readonly agent: QemuGuestAgent;
  readonly #guest: GuestWatch;
  #screenshot: Promise<Uint8Array> | undefined;
  #state: Machine['state'] = 'paused';
  #ended: MachineExit | undefined;
  #ending: Promise<void> | undefined;
  #qmp: QmpClient | undefined;
  readonly #end = Promise.withResolvers<void>();
  #killAt: number | undefined;
  /** Numbers connections to the guest. It starts elsewhere in each process, as those of an earlier one may remain. */
  #connections: number;
  #timer: Timer | undefined;
  readonly #disk: FullDisk;

  constructor(record: MachineRecord, directory: MachineDirectory, deps: QemuMachineDeps) {
    this.spec = record.spec;
    this.startedAt = record.startedAt;
    this.uid = record.uid;
    this.cgroups = record.cgroups ?? [];
    this.directory = directory;
    this.#deps = deps;
    const { path } = directory;
    this.#console = new ConsoleHub({
      connect: () => connectSocket(path, QEMU_FILES.serial),
      readLog: (maxBytes) => readSerialLog(path, maxBytes),
    });
    this.agent = new QemuGuestAgent({
      clock: deps.clock,
      connect: () => connectSocket(path, QEMU_FILES.guestAgent),
      isOpen: () => this.#isAgentOpen(),
    });
    const { clock, onChange } = deps;
    this.#guest = new GuestWatch({
      ...{ clock, agent: this.agent },
      isRunning: () => this.#state === 'running',
      onChange: () => onChange(this.spec.id),
    });
    this.#disk = new FullDisk({
      clock: deps.clock,
      availableBytes: () => availableBytes(path),
      resume: () => this.resume(),
    });
    this.#connections = deps.clock.now();
  }

  view(): Machine {
    const { spec, startedAt } = this;
    const { conditions } = this.#deps;
    const ended = this.#ended;
    const guest = ended === undefined ? this.#guest.guest : undefined;
    return {
      spec,
      startedAt,
      state: this.#state,
      booted: true,
      conditions,
      ...(this.#disk.isFull && this.#state === 'paused' ? { diskFull: true } : {}),
      ...(ended === undefined ? {} : { ended }),
      ...(guest === undefined ? {} : { guest }),
    };
  }

  /** Connects to QEMU, which may have ended, and continues a shutdown that was requested before. */
  async attach(keeper?: SpawnedKeeper): Promise<void> {
    const end = await this.directory.endRecord();
    if (end !== undefined) return await this.#finish(end);
    const socket = await this.#connect(keeper);
    if (socket === undefined) return await this.#finishWithoutQemu();
    try {
      await this.#greet(socket);
    } catch (error) {
      // It ended while it was being connected to.
      if (!(error instanceof QmpConnectionError)) throw error;
      return await this.#finishWithoutQemu();
    }
    this.#killAt = (await this.directory.stopRecord())?.killAt;
    await this.refresh();
    if (this.#killAt !== undefined) this.#pressPowerButton();
    this.#guest.refresh();
  }

  async #greet(socket: Socket): Promise<void> {
    this.#qmp = await QmpClient.open(
      { readable: socket, writable: socket },
      {
        clock: this.#deps.clock,
        onEvent: (event) => this.#onEvent(event),
        onClose: () => void this.#finishWithoutQemu(),
      },
    );
    const { UUID: uuid } = await this.#qmp.execute<{ UUID: string }>('query-uuid');
    if (uuid !== this.spec.firmware.uuid) throw new Error(`${this.directory.path} belongs to machine ${uuid}`);
    // QEMU has created its sockets. From now on it cannot replace them by links to sockets of others.
    if (this.uid !== undefined) {
      const sockets = join(this.directory.path, SOCKETS_DIRECTORY);
      await chmod(sockets, 0o711);
      await chown(sockets, 0, 0);
    }
  }

  /** Reads the run state, and ends a machine whose guest has ended. */
  async refresh(): Promise<void> {
    if (this.#ended !== undefined || this.#ending !== undefined) return;
    const { status } = await this.#execute<{ status: string }>('query-status');
    const end = endByRunState(status, this.#killAt !== undefined);
    if (end !== undefined) return await this.end(end);
    this.#disk.observe(status);
    this.#become(this.#killAt === undefined ? (status === 'running' ? 'running' : 'paused') : 'stopping');
  }

  async resume(): Promise<void> {
    this.assertRunnable('resume');
    await this.#execute('cont');
    await this.refresh();
  }

  async pause(): Promise<void> {
    this.assertRunnable('pause');
    await this.#execute('stop');
    await this.refresh();
  }

  async reset(): Promise<void> {
    this.assertRunnable('reset');
    await this.#execute('system_reset');
    this.#deps.onChange(this.spec.id);
  }

  /** Presses Ctrl-Alt-Delete, on which a guest restarts itself. */
  async softReboot(): Promise<void> {
    this.assertRunnable('soft reboot');
    if (this.#state === 'paused') throw new InvalidStateError('soft reboot', this.spec.id, 'it is paused');
    const keys = ['ctrl', 'alt', 'delete'].map((data) => ({ type: 'qcode', data }));
    await this.#execute('send-key', { keys });
    this.#deps.onChange(this.spec.id);
  }

  /** Requests a shutdown. Of several requests, the earliest deadline applies. */
  async stop(graceMs: number): Promise<void> {
    const killAt = this.#deps.clock.now() + graceMs;
    if (this.#killAt !== undefined && this.#killAt <= killAt) return;
    // It is recorded first, so that a restarted node agent carries it out.
    await this.directory.writeStop({ killAt });
    this.#killAt = killAt;
    await this.#execute('cont');
    this.#become('stopping');
    this.#pressPowerButton();
  }

  /** Resolves when the machine has ended. */
  async waitForEnd(): Promise<void> {
    await this.#end.promise;
  }

  /** Ends a machine for a reason that is known. Of several reasons, the first one counts. */
  async end({ reason, message }: MachineEnd): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#ending ??= this.#cutPower({ reason, message, at: this.#deps.clock.now() });
    await this.#ending;
  }

  async open(what: 'console' | 'vnc', { input = true }: { readonly input?: boolean } = {}): Promise<Duplex> {
    this.assertAlive(`opening the ${what}`);
    if (what === 'console') return await this.#console.open({ input });
    return await connectSocket(this.directory.path, QEMU_FILES.vnc);
  }

  /** Takes a picture of the screen. Requests at the same time get the same one. */
  async screenshot(): Promise<Uint8Array> {
    this.assertAlive('a screenshot');
    const execute = (command: string, args: Readonly<Record<string, unknown>>) => this.#execute(command, args);
    this.#screenshot ??= takeScreenshot(this.directory.path, execute).finally(() => (this.#screenshot = undefined));
    return await this.#screenshot;
  }

  /** Reports whether a guest agent has opened its end of the channel. */
  async #isAgentOpen(): Promise<boolean> {
    if (this.#state !== 'running') return false;
    type Chardev = { readonly label: string; readonly 'frontend-open': boolean };
    const channels = await this.#execute<readonly Chardev[]>('query-chardev');
    return channels.some((each) => each.label === AGENT_CHANNEL && each['frontend-open']);
  }

  consoleLog(signal: AbortSignal): ContainerLog {
    const hasEnded = () => this.#ended !== undefined;
    return consoleLog({ directory: this.directory.path, clock: this.#deps.clock, hasEnded }, signal);
  }

  /** Connects to a TCP port of the guest. */
  async connect(port: number): Promise<Duplex> {
    const { isolation, clock } = this.#deps;
    const { directory, uid, spec } = this;
    const { id } = spec;
    const nic = spec.nics.findIndex(({ ip }) => ip !== undefined && guestNetwork(ip) !== undefined);
    if (nic < 0) throw new GuestConnectionError(id, port, 'it has no interface on the pod network');
    if (isolation.user === 'none') {
      throw new NotSupportedError('qemu', 'connecting to guests without namespaces', isolation.limitation);
    }
    const pid = await qemuPid(directory);
    if (pid === undefined) throw new GuestConnectionError(id, port, 'it has ended');
    const at = forwardEndpoint(this.#connections++);
    return await connectToGuest({
      ...{ id, port, clock, pid, uid, at, user: isolation.user },
      forward: forwardCommands(netdevId(nic), spec.nics[nic]?.ip ?? '', port, at),
      timeoutMs: CONNECT_GUEST_TIMEOUT_MS,
      isQemu: async () => (await qemuPid(directory)) === pid,
      monitor: (command) => this.#execute<string>('human-monitor-command', { 'command-line': command }),
    });
  }

  assertAlive(operation: string): void {
    if (this.#ended !== undefined) throw new InvalidStateError(operation, this.spec.id, 'it has terminated');
  }

  assertRunnable(operation: string): void {
    this.assertAlive(operation);
    if (this.#state === 'stopping') throw new InvalidStateError(operation, this.spec.id, 'it is shutting down');
  }

  /** Leaves the machine as it is, and forgets it. */
  detach(): void {
    this.#timer?.cancel();
    this.#disk.stop();
    this.#ending ??= Promise.resolve();
    this.#guest.stop();
    this.#qmp?.close();
    void this.#console.close();
  }

  /** Waits until QEMU accepts connections. Resolves to undefined if it has ended. */
  async #connect(keeper: SpawnedKeeper | undefined): Promise<Socket | undefined> {
    const { clock } = this.#deps;
    const { path } = this.directory;
    const attempt = async () => {
      // A machine that is connected to must also be ready to be killed.
      const socket = (await hasProcessIds(this.directory))
        ? await connectSocket(path, QEMU_FILES.qmp).catch(() => undefined)
        : undefined;
      if (socket !== undefined) return { socket };
      const isRunning = keeper?.isRunning() === true || (await isProcessAlive(this.directory));
      return !isRunning || (await this.directory.exitStatus()) !== undefined ? { socket: undefined } : undefined;
    };
    const result = await waitForChange(path, attempt, { clock, timeoutMs: CONNECT_TIMEOUT_MS });
    if (result === undefined) throw new TemporaryError(`QEMU of machine ${this.spec.id} does not respond`);
    return result.socket;
  }

  #onEvent({ event }: QmpEvent): void {
    if (event === AGENT_EVENT) return this.#guest.refresh();
    if (!STATE_EVENTS.has(event)) return;
    this.refresh().catch((error: unknown) => {
      if (!(error instanceof QmpConnectionError)) throw error;
    });
  }

  #pressPowerButton(): void {
    this.#timer?.cancel();
    if (this.#ended !== undefined || this.#ending !== undefined || this.#killAt === undefined) return;
    const left = this.#killAt - this.#deps.clock.now();
    if (left <= 0) return void this.end({ reason: 'Killed', message: 'it did not shut down in time' });
    this.#execute('system_powerdown').catch(() => undefined);
    this.#timer = this.#deps.clock.timer(Math.min(left, POWER_BUTTON_MS), () => this.#pressPowerButton());
  }

  async #cutPower(exit: MachineExit): Promise<void> {
    this.#timer?.cancel();
    await this.directory.writeEnd(exit);
    await killKeeper(this.directory, this.#deps.clock);
    await this.#finish(exit);
  }

  /** Finds out why QEMU is gone, once its keeper has recorded that. */
  async #finishWithoutQemu(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#ending ??= this.#recordExit();
    await this.#ending;
  }

  async #recordExit(): Promise<void> {
    const { clock } = this.#deps;
    const read = async () => {
      // The keeper records the status before it ends, so that it is read after that.
      const isAlive = await isProcessAlive(this.directory);
      const status = await this.directory.exitStatus();
      return status !== undefined || !isAlive ? { status } : undefined;
    };
    const found = await waitForChange(this.directory.path, read, { clock, timeoutMs: EXIT_TIMEOUT_MS });
    if (found === undefined) await killKeeper(this.directory, clock);
    const log = (await this.directory.text('qemu.log')) ?? '';
    const outOfMemory = await wasOutOfMemory(this.cgroups);
    const exit = { ...endByExitStatus(found?.status, log, outOfMemory), at: clock.now() };
    await this.directory.writeEnd(exit);
    await this.#finish(exit);
  }

  async #finish(exit: MachineExit): Promise<void> {
    this.#timer?.cancel();
    this.#guest.stop();
    this.#disk.stop();
    // The directory stays until the machine is removed, but nothing of it runs.
    await removeCgroups(this.cgroups, this.#deps.clock);
    this.#ended = exit;
    this.#qmp?.close();
    this.#become('ended');
    this.#end.resolve();
  }

  #become(state: Machine['state']): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#deps.onChange(this.spec.id);
  }

  async #execute<T>(command: string, args?: Readonly<Record<string, unknown>>): Promise<T> {
    if (this.#qmp === undefined) throw new QmpConnectionError('there is no connection to QEMU');
    return await this.#qmp.execute<T>(command, args);
  }
}
