import type { Duplex } from 'node:stream';
import { type ErrorDetails, VimanaError } from '#platform/base/errors';
import type { ContainerLog, ExecResult } from '#platform/kube/node-runtime';
import type { ClaimedDisks } from '#vm/storage/disk/saved-disks';
import type { DriverCondition, DriverFacts } from './driver-facts.ts';
import type { MachineDisk, MachineNic, MachineSpec } from './machine-spec.ts';

/**
 * Reason why a machine has ended. GuestShutdown: the guest powered itself off; Stopped: it did so on request; Killed:
 * its power was cut; Crashed, OutOfMemory: it failed; Migrated: it continues elsewhere.
 */
export type EndReason = 'GuestShutdown' | 'Stopped' | 'Killed' | 'Crashed' | 'OutOfMemory' | 'Migrated';

export interface MachineExit {
  readonly reason: EndReason;
  /** Time in milliseconds since the Unix epoch, like all times here. */
  readonly at: number;
  readonly message: string;
}

/** Operating system of a guest, as its guest agent describes it. */
export interface GuestOs {
  readonly id: string;
  readonly name: string;
  readonly prettyName: string;
  readonly machine: string;
  readonly version?: string;
  readonly versionId?: string;
  readonly kernelRelease?: string;
  readonly kernelVersion?: string;
}

/** Network interface of a guest, as its guest agent describes it. */
export interface GuestInterface {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** Information that a guest agent reports, if there is one. The guest may lie, so that nothing must rely on it. */
export interface GuestInfo {
  readonly os: GuestOs;
  readonly hostname?: string;
  readonly interfaces?: readonly GuestInterface[];
}

export interface GuestUser {
  readonly userName: string;
  readonly domain?: string;
  /** Time of the login in seconds since the Unix epoch. */
  readonly loginTime?: number;
}

export interface GuestFileSystem {
  readonly diskName: string;
  readonly mountPoint: string;
  readonly fileSystemType: string;
  readonly usedBytes: number;
  readonly totalBytes: number;
}

/** Report of a guest agent about its guest at one moment. */
export interface GuestReport extends GuestInfo {
  readonly agentVersion: string;
  readonly supportedCommands: readonly string[];
  readonly timezone?: string;
  readonly fileSystems: readonly GuestFileSystem[];
  readonly users: readonly GuestUser[];
  readonly freezeStatus?: 'thawed' | 'frozen';
}

/** Command to run in a guest. */
export interface GuestCommand {
  readonly command: readonly string[];
  readonly input?: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Guest agent of a running machine. Every method rejects with GuestAgentError if the guest agent does not respond in
 * time, or responds with something else than it should.
 */
export interface GuestAgent {
  report(): Promise<GuestReport>;
  exec(command: GuestCommand): Promise<ExecResult>;
  /** Flushes and freezes all file systems, until `thaw` or the given time. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

/** Migration to another node as its source sees it. */
export interface MigrationProgress {
  readonly uid: string;
  readonly state: 'active' | 'failed' | 'cancelled' | 'completed';
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly mode: 'PreCopy' | 'PostCopy';
  /** Bytes that must be sent at least once. */
  readonly totalBytes: number;
  readonly remainingBytes: number;
  /** Bytes sent so far, including every retransmission of changed memory. */
  readonly transferredBytes: number;
  /** Expected end if nothing changes. Unset if the migration is finished or makes no progress. */
  readonly expectedEndAt?: number;
  /** Time that the guest was paused. Set once the migration is finished. */
  readonly downtimeMs?: number;
  readonly message?: string;
}

/** Snapshot of a disk, in a format that only the driver needs to understand. */
export interface MachineDiskSnapshot {
  readonly name: string;
  /** Claim of the disk. Unset for a disk that is deleted with its machine. */
  readonly claim?: string;
  /** Bytes that differ from the parent snapshot. Without a parent, all of the disk's own content. */
  readonly bytes: number;
  readonly contents: string;
}

/**
 * Snapshot of a machine, or of the disks of a stopped one. The requester stores it, and the driver needs nothing else
 * for a restore.
 */
export interface MachineSnapshot {
  readonly at: number;
  readonly disks: readonly MachineDiskSnapshot[];
  /** The guest had flushed and frozen its file systems. */
  readonly quiesced: boolean;
  readonly memory?: { readonly bytes: number; readonly state: string };
}

export interface SnapshotRequest {
  readonly memory: boolean;
  /** Lets the guest flush and freeze its file systems first, if it has a guest agent that can. */
  readonly quiesce: boolean;
  /** Parent snapshot that the disks build on, which sizes are computed against. */
  readonly below?: MachineSnapshot;
}

/** Identifies a restore, and the snapshots that the disks build on afterwards, oldest first. */
export interface RestoreMark {
  readonly uid: string;
  readonly on: readonly { readonly name: string; readonly uid: string }[];
}

/** Identifies disks: those of a machine by its ID, or claims that no machine uses. */
export type DiskHolder = string | ClaimedDisks;

/** State of a machine. `incoming`: it waits for its memory from another node and does not run. */
export interface Machine {
  readonly spec: MachineSpec;
  readonly state: 'running' | 'paused' | 'stopping' | 'incoming' | 'ended';
  /** Time of the first start, on any node. */
  readonly startedAt: number;
  readonly ended?: MachineExit;
  /** It is paused because the disk of the host is full. It resumes by itself. */
  readonly diskFull?: boolean;
  /** The guest is up, as far as the driver knows. True if it cannot know. */
  readonly booted: boolean;
  /** Set once the guest has booted, if it has a guest agent. */
  readonly guest?: GuestInfo;
  readonly migration?: MigrationProgress;
  /** Conditions that the instance reports while the machine exists. */
  readonly conditions?: readonly DriverCondition[];
}

/** Optional features of a driver. A feature that is false is rejected with NotSupportedError. */
export interface Capabilities {
  readonly pause: boolean;
  readonly reset: boolean;
  readonly softReboot: boolean;
  readonly migration: boolean;
  readonly snapshots: boolean;
  readonly memorySnapshots: boolean;
  readonly resize: boolean;
  readonly hotplugDisks: boolean;
  readonly hotplugNics: boolean;
  readonly console: boolean;
  readonly vnc: boolean;
}

export interface MigrationRequest {
  /** UID of the migration. */
  readonly uid: string;
  /** Address of the target, as returned by its prepareIncoming. */
  readonly address: string;
  /** Maximum bandwidth in bytes per second. */
  readonly bandwidth?: number;
  /** Throttles the guest if it writes faster than its memory can be sent. */
  readonly autoConverge?: boolean;
  /** Resumes the guest at the target before all memory has arrived, once all was sent and some has changed since. */
  readonly postCopy?: boolean;
}

export interface ConsoleOptions {
  /** The client may type. Defaults to true. */
  readonly input?: boolean;
}

export type Device =
  | { readonly kind: 'disk'; readonly disk: MachineDisk }
  | { readonly kind: 'nic'; readonly nic: MachineNic };

/** Called with the ID of a machine that has changed. */
export type MachineListener = (id: string) => void;

/**
 * Creates and runs the machines of one node. Only the driver touches them and knows their state.
 * - The ID of a machine identifies one run: an ended machine does not start again.
 * - `start` returns a machine that already exists unchanged, so that there is never a second one.
 * - An ended machine stays, with its reason, until it is removed.
 * - A method rejects with MachineNotFoundError for an unknown ID, with InvalidStateError if the machine's state does
 *   not allow it, and with NotSupportedError if the driver lacks the feature. `kill` and `remove` never do.
 * - Listeners are called after every change, spontaneous or by a method. They get only the ID and must inspect.
 * - No method waits for a guest: `stop` and `migrate` resolve once they have begun, and `inspect` reports the
 *   progress.
 */
export interface MachineDriver {
  /** Name in the node label vimana.io/runtime. */
  readonly name: string;
  /** Facts about the host that the Node reports. */
  readonly facts?: DriverFacts;
  capabilities(): Capabilities;

  list(): Promise<readonly Machine[]>;
  inspect(id: string): Promise<Machine | undefined>;
  /** Subscribes to all further changes. Returns a function that unsubscribes. */
  onChange(listener: MachineListener): () => void;

  /**
   * Adopts a machine that ran before this driver was created and is known to have run here since `startedAt`, or
   * returns undefined if it is gone. A driver whose machines do not outlive it trusts the caller.
   */
  adopt(
    spec: MachineSpec,
    known: { readonly startedAt: number; readonly paused: boolean },
  ): Promise<Machine | undefined>;
  start(spec: MachineSpec): Promise<Machine>;
  /**
   * Requests a shutdown of the guest, which is resumed for it if paused, and cuts its power after the grace period. Of
   * several requests, the earliest deadline applies.
   */
  stop(id: string, graceMs: number): Promise<void>;
  /** Cuts the power, and resolves when the machine does not run. An ended machine stays as it is. */
  kill(id: string, message: string): Promise<void>;
  /** Forgets a machine, and kills it first if it runs. */
  remove(id: string): Promise<void>;

  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Restarts the guest like the reset button. The machine and its hardware stay. */
  reset(id: string): Promise<void>;
  /** Requests the guest to restart itself. */
  softReboot(id: string): Promise<void>;

  /**
   * Creates a machine that waits for its memory, and returns its address, the same for repeated calls. It runs only
   * after it has all memory and the source has stopped for good, so that both never run at once.
   */
  prepareIncoming(spec: MachineSpec, migrationUid: string): Promise<{ readonly address: string }>;
  /** Begins a migration. If it fails, the machine continues here and the target is discarded. */
  migrate(id: string, request: MigrationRequest): Promise<void>;
  /** Cancels a migration in progress, so that the machine continues here. Does nothing if there is none. */
  cancelMigration(id: string): Promise<void>;

  /**
   * Captures all writable disks at one moment, and on request the memory, which a stopped machine does not have. It is
   * not possible during a migration, and a failure leaves nothing behind.
   */
  snapshot(of: DiskHolder, request: SnapshotRequest): Promise<MachineSnapshot>;
  /**
   * Restores a snapshot, except disks that already went through this restore. A running machine continues from its
   * memory or boots; claims retain the memory for the next machine that starts with them.
   */
  restore(of: DiskHolder, kept: MachineSnapshot, mark: RestoreMark): Promise<void>;
  /**
   * Deletes a snapshot, and returns its children as they are then: content that only it held and that they need is
   * moved to them, and counted as theirs.
   */
  deleteSnapshot(
    kept: MachineSnapshot,
    around: { readonly above: readonly MachineSnapshot[]; readonly below?: MachineSnapshot },
  ): Promise<readonly MachineSnapshot[]>;

  /** Resizes a running machine, within its maximum size. */
  resize(id: string, size: { readonly sockets?: number; readonly memoryBytes?: number }): Promise<void>;
  attach(id: string, device: Device): Promise<void>;
  detach(id: string, device: { readonly kind: 'disk' | 'nic'; readonly name: string }): Promise<void>;

  /**
   * Connects to the serial console or the screen (RFB). Any number of clients can be connected. Each console begins with
   * the last output of the guest, and the one that was opened last, of those with input, types.
   */
  open(id: string, what: 'console' | 'vnc', options?: ConsoleOptions): Promise<Duplex>;
  /** Returns a picture of the screen, as PNG. */
  screenshot(id: string): Promise<Uint8Array>;
  /** Returns the guest agent. Rejects with GuestAgentError if none runs in the guest. */
  guestAgent(id: string): Promise<GuestAgent>;
  /** Returns what the guest has printed on its serial console, and what it will print until the signal is aborted. */
  consoleLog(id: string, signal: AbortSignal): Promise<ContainerLog>;
  /**
   * Connects to a TCP port of the guest, by its own address and not by one that the guest reports. Rejects with
   * GuestConnectionError if the guest does not accept the connection.
   */
  connect(id: string, port: number): Promise<Duplex>;
}

/** Reports that a guest accepts no connection on a port. */
export class GuestConnectionError extends VimanaError {
  constructor(id: string, port: number, why: string) {
    super('GUEST_CONNECTION', `cannot connect to port ${port} of machine ${id}: ${why}`);
  }
}

/** Reports that a guest has no guest agent, or one that failed. */
export class GuestAgentError extends VimanaError {
  constructor(message: string, details: ErrorDetails = {}) {
    super('GUEST_AGENT', message, details);
  }
}

export class MachineNotFoundError extends VimanaError {
  constructor(id: string) {
    super('NO_SUCH_MACHINE', `machine ${id} not found`);
  }
}

/** Rejects an operation that the state of a machine does not allow. */
export class InvalidStateError extends VimanaError {
  constructor(operation: string, id: string, why: string) {
    super('WRONG_STATE', `${operation} is not possible for machine ${id}: ${why}`);
  }
}

/** Reports that a machine could not be started, for a reason that its user must know. */
export class MachineStartError extends VimanaError {
  /** Reason in events and conditions. */
  readonly reason: string;

  constructor(
    message: string,
    { reason = 'SyncFailed', ...details }: ErrorDetails & { readonly reason?: string } = {},
  ) {
    super('MACHINE_START', message, details);
    this.reason = reason;
  }
}

/** Reports that a machine cannot be started yet, because something that it needs is being prepared. */
export class MachinePreparingError extends VimanaError {
  /** Name of the part that is being prepared, without its progress. */
  readonly what: string;
  readonly reason: string;

  constructor(reason: string, what: string, message: string) {
    super('MACHINE_PREPARING', message);
    this.reason = reason;
    this.what = what;
  }
}

export type LiveMachine = Machine & { readonly state: Exclude<Machine['state'], 'ended'> };

/** Reports whether a machine exists and has not ended. */
export function isAlive(machine: Machine | undefined): machine is LiveMachine {
  return machine !== undefined && machine.state !== 'ended';
}
