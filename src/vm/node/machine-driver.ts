import type { Duplex } from 'node:stream';
import { VimanaError } from '#platform/base/errors';
import type { ClaimedDisks } from '#vm/storage/disk/saved-disks';
import type { MachineDisk, MachineNic, MachineSpec } from './machine-spec.ts';

/**
 * Why a machine is no longer there. GuestShutdown: the guest switched itself off. Stopped: it did so because it was
 * asked to. Killed: its power was cut. Crashed, OutOfMemory: it broke. Migrated: it goes on elsewhere.
 */
export type EndReason = 'GuestShutdown' | 'Stopped' | 'Killed' | 'Crashed' | 'OutOfMemory' | 'Migrated';

export interface MachineExit {
  readonly reason: EndReason;
  /** In milliseconds since 1970, as all times here. */
  readonly at: number;
  readonly message: string;
}

/** What the guest itself tells, where it has an agent that does. */
export interface GuestInfo {
  readonly os: { readonly id: string; readonly name: string; readonly prettyName: string; readonly machine: string };
}

/** A transfer to another node as its source sees it. */
export interface MigrationProgress {
  readonly uid: string;
  readonly state: 'active' | 'failed' | 'cancelled' | 'completed';
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly mode: 'PreCopy' | 'PostCopy';
  /** What has to be sent at least once. */
  readonly totalBytes: number;
  readonly remainingBytes: number;
  /** What was sent by now, memory that changed meanwhile once more each time. */
  readonly transferredBytes: number;
  /** When it ends if nothing changes; absent where it is over, or comes no nearer to its end. */
  readonly expectedEndAt?: number;
  /** How long the guest stood still; there once it is over. */
  readonly downtimeMs?: number;
  readonly message?: string;
}

/** A disk as it was: what is handed back to bring it there again, in words that only the driver has to understand. */
export interface MachineDiskSnapshot {
  readonly name: string;
  /** The claim that the disk is; absent for one that goes with its machine. */
  readonly claim?: string;
  /** Bytes that are not the same in the snapshot below; without one, all that the disk holds of its own. */
  readonly bytes: number;
  readonly contents: string;
}

/**
 * A machine, or the disks of one that is off, as they were. Whoever asked for it keeps it: the driver needs nothing else
 * to bring them back.
 */
export interface MachineSnapshot {
  readonly at: number;
  readonly disks: readonly MachineDiskSnapshot[];
  /** Whether the guest had flushed and frozen its file systems. */
  readonly quiesced: boolean;
  readonly memory?: { readonly bytes: number; readonly state: string };
}

export interface SnapshotRequest {
  readonly memory: boolean;
  /** The guest flushes and freezes its file systems first, where it has an agent that can. */
  readonly quiesce: boolean;
  /** What sizes are measured against: the snapshot that the disks build on. */
  readonly below?: MachineSnapshot;
}

/** Which restore disks go through, and the snapshots that they build on afterwards, oldest first. */
export interface RestoreMark {
  readonly uid: string;
  readonly on: readonly { readonly name: string; readonly uid: string }[];
}

/** Whose disks are meant: those of a machine by its id, or claims that no machine uses. */
export type DiskHolder = string | ClaimedDisks;

/** A machine as it is. `incoming`: it waits for its memory from another node and does not run. */
export interface Machine {
  readonly spec: MachineSpec;
  readonly state: 'running' | 'paused' | 'stopping' | 'incoming' | 'ended';
  /** When it first ran, on whichever node. */
  readonly startedAt: number;
  readonly ended?: MachineExit;
  /** Whether the guest is up, as far as the driver can tell; true where it cannot. */
  readonly booted: boolean;
  /** There once the guest has booted, where it has an agent. */
  readonly guest?: GuestInfo;
  readonly migration?: MigrationProgress;
}

/** What a driver can do beyond starting and ending machines; what is false is refused with NotSupported. */
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
  /** Whose transfer it is: the uid of the migration. */
  readonly uid: string;
  /** Where the target waits, as its prepareIncoming said. */
  readonly address: string;
  /** Bytes a second that it may use at most. */
  readonly bandwidth?: number;
  /** Slows the guest down where it writes faster than can be sent. */
  readonly autoConverge?: boolean;
  /** Lets the guest go on at the target before all of its memory is there, once all was sent and some has changed since. */
  readonly postCopy?: boolean;
}

export type Device =
  | { readonly kind: 'disk'; readonly disk: MachineDisk }
  | { readonly kind: 'nic'; readonly nic: MachineNic };

/** Something about a machine is no longer as it was: look at it again. */
export type MachineListener = (id: string) => void;

/**
 * Makes and runs the machines of one node. It alone touches them, and it alone knows how they are.
 *
 * - A machine is known by its id, which stands for one run: what has ended does not start again.
 * - `start` of a machine that is there already changes nothing and returns it: there is never a second one.
 * - A machine that has ended stays, with why, until it is removed.
 * - A method that names an id that is not there rejects with NoSuchMachine; one that does not fit the state of the
 *   machine with WrongState; what the driver cannot do at all with NotSupported. `kill` and `remove` never mind.
 * - Whatever changes on its own or as a result of a method is told to listeners, after it has changed. Listeners are
 *   told the id only: they look.
 * - Nothing here waits for a guest: `stop` and `migrate` resolve when they have begun, and `inspect` tells how they go.
 */
export interface MachineDriver {
  /** As nodes carry it in the label vimana.io/runtime. */
  readonly name: string;
  capabilities(): Capabilities;

  list(): Promise<readonly Machine[]>;
  inspect(id: string): Promise<Machine | undefined>;
  /** Tells of every change from now on; returns how to stop listening. */
  onChange(listener: MachineListener): () => void;

  /**
   * Takes up a machine that ran before this driver was made, and that is known to have run here since `startedAt`.
   * Undefined where it is not there any more. A driver whose machines do not outlive it takes the caller's word.
   */
  adopt(
    spec: MachineSpec,
    known: { readonly startedAt: number; readonly paused: boolean },
  ): Promise<Machine | undefined>;
  start(spec: MachineSpec): Promise<Machine>;
  /**
   * Asks the guest to shut down, and cuts its power where it has not within the time. It ends when the guest is done.
   * Asked again, the earlier deadline holds. A guest that is paused is let go on, because it could not shut down.
   */
  stop(id: string, graceMs: number): Promise<void>;
  /** Cuts the power. When it resolves, the machine does not run; one that has ended stays as it is. */
  kill(id: string, message: string): Promise<void>;
  /** Forgets a machine, killing it first where it runs. */
  remove(id: string): Promise<void>;

  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  /** Restarts the guest as the reset button does; the machine, and all that it is made of, stays. */
  reset(id: string): Promise<void>;
  /** Asks the guest to restart itself. */
  softReboot(id: string): Promise<void>;

  /**
   * Makes a machine that waits for its memory, and returns where. It does not run until it has all of it, and the source
   * has stopped for good: at no time do both run. Asked again for the same transfer, it says the same.
   */
  prepareIncoming(spec: MachineSpec, migrationUid: string): Promise<{ readonly address: string }>;
  /** Begins to send a machine elsewhere. Where that fails, the machine goes on here and the target is no more. */
  migrate(id: string, request: MigrationRequest): Promise<void>;
  /** Gives up a transfer that is under way; the machine goes on here. Nothing happens where there is none. */
  cancelMigration(id: string): Promise<void>;

  /**
   * Keeps what is on all disks that can be written, at one moment, and memory where asked; of a machine that is off there
   * is none. Not possible while the machine is being sent elsewhere. Where it fails, nothing is left of it.
   */
  snapshot(of: DiskHolder, request: SnapshotRequest): Promise<MachineSnapshot>;
  /**
   * Brings back what was kept. A machine that runs goes on where it was, with memory, or boots; claims keep the memory
   * for the machine that next starts with them. A disk that went through this very restore already stays as it is.
   */
  restore(of: DiskHolder, kept: MachineSnapshot, mark: RestoreMark): Promise<void>;
  /**
   * Gives up what a snapshot keeps, and returns those that build on it as they are then: whatever only it held that they
   * need is theirs, and counted as theirs.
   */
  deleteSnapshot(
    kept: MachineSnapshot,
    around: { readonly above: readonly MachineSnapshot[]; readonly below?: MachineSnapshot },
  ): Promise<readonly MachineSnapshot[]>;

  /** Changes the size of a running machine, within its maxima. */
  resize(id: string, size: { readonly sockets?: number; readonly memoryBytes?: number }): Promise<void>;
  attach(id: string, device: Device): Promise<void>;
  detach(id: string, device: { readonly kind: 'disk' | 'nic'; readonly name: string }): Promise<void>;

  /** A connection to the serial console or the screen. */
  open(id: string, what: 'console' | 'vnc'): Promise<Duplex>;
}

/** No machine has this id. */
export class MachineNotFoundError extends VimanaError {
  constructor(id: string) {
    super('NO_SUCH_MACHINE', `there is no machine ${id}`);
  }
}

/** A machine cannot do this as it is. */
export class InvalidStateError extends VimanaError {
  constructor(operation: string, id: string, why: string) {
    super('WRONG_STATE', `${operation} is not possible for machine ${id}: ${why}`);
  }
}

export type LiveMachine = Machine & { readonly state: Exclude<Machine['state'], 'ended'> };

/** Whether a machine is there and has not ended. */
export function isAlive(machine: Machine | undefined): machine is LiveMachine {
  return machine !== undefined && machine.state !== 'ended';
}
