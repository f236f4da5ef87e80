import type { Clock, Timer } from '#platform/base/clock';
import type { EndReason, Machine, MachineExit, MigrationProgress } from '../../machine-driver.ts';
import type { MachineSpec } from '../../machine-spec.ts';
import type { Behavior } from '../behavior.ts';
import { Guest } from './guest.ts';
import type { Transfer } from './transfers.ts';

/** Migration of a machine. `transfer` is set while it is in progress. */
export interface Migration {
  readonly uid: string;
  readonly startedAt: number;
  readonly totalBytes: number;
  state: MigrationProgress['state'];
  remaining: number;
  mode: MigrationProgress['mode'];
  sent: number;
  downtimeMs?: number;
  endedAt?: number;
  message?: string;
  transfer?: Transfer;
  /** Machine that waits on the other node. */
  readonly target: SimulatedMachine;
}

/** Machine of a simulated node: its power, its guest, and its operations in progress. */
export class SimulatedMachine {
  spec: MachineSpec;
  readonly behavior: Behavior;
  readonly guest: Guest;
  state: Machine['state'];
  startedAt: number;
  ended: MachineExit | undefined;
  migration: Migration | undefined;
  /** UID of the migration that an incoming machine waits for, and the callback for when it no longer waits. */
  expects = '';
  onEnd: (() => void) | undefined;
  readonly #clock: Clock;
  readonly #changed: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #stop: { readonly due: number; readonly timers: readonly Timer[] } | undefined;

  constructor(
    clock: Clock,
    spec: MachineSpec,
    behavior: Behavior,
    changed: () => void,
    life: { startedAt?: number; uptime?: number } = {},
  ) {
    this.#clock = clock;
    this.#changed = changed;
    this.spec = spec;
    this.behavior = behavior;
    this.startedAt = life.startedAt ?? clock.now();
    this.state = 'paused';
    this.guest = new Guest(
      clock,
      this.behavior,
      { booted: changed, ended: (how, message) => this.end(how, message) },
      life.uptime ?? 0,
    );
  }

  view(): Machine {
    const { migration, ended } = this;
    const info = this.state === 'ended' || this.state === 'incoming' ? undefined : this.guest.info;
    return {
      spec: this.spec,
      state: this.state,
      startedAt: this.startedAt,
      ...(ended === undefined ? {} : { ended }),
      booted: this.guest.booted,
      ...(info === undefined ? {} : { guest: info }),
      ...(migration === undefined ? {} : { migration: progressOf(migration, this.#clock.now()) }),
    };
  }

  /** Runs work on the disks exclusively. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return await turn;
  }

  run(): void {
    this.state = 'running';
    this.guest.run();
    this.migration?.transfer?.changed();
    this.#changed();
  }

  pause(): void {
    this.state = 'paused';
    this.guest.stand();
    this.migration?.transfer?.changed();
    this.#changed();
  }

  stop(graceMs: number): void {
    const due = this.#clock.monotonic() + graceMs;
    if (this.#stop !== undefined && this.#stop.due <= due) return;
    const { shutdownMs } = this.behavior;
    if (shutdownMs === 0) {
      this.end('Stopped', 'the guest shut down on request');
      return;
    }
    if (this.state === 'paused') this.guest.run();
    this.state = 'stopping';
    // The guest gets one request, and only the deadline changes.
    const [requested] = this.#stop?.timers ?? [];
    for (const timer of this.#stop?.timers.slice(1) ?? []) timer.cancel();
    const shutdown =
      requested ?? this.#clock.timer(shutdownMs, () => this.end('Stopped', 'the guest shut down on request'));
    const deadline = this.#clock.timer(graceMs, () =>
      this.end('Killed', 'the guest did not shut down in time and was powered off'),
    );
    this.#stop = { due, timers: [shutdown, deadline] };
    this.#changed();
  }

  /** Ends a migration. */
  migrationOver(state: 'completed' | 'cancelled' | 'failed', message?: string): void {
    const { migration } = this;
    if (migration?.state !== 'active') return;
    migration.remaining = state === 'completed' ? 0 : (migration.transfer?.remaining ?? migration.remaining);
    migration.mode = migration.transfer?.mode ?? migration.mode;
    migration.sent = migration.transfer?.sent ?? migration.sent;
    migration.transfer?.cancel();
    delete migration.transfer;
    migration.state = state;
    migration.endedAt = this.#clock.now();
    if (message !== undefined) migration.message = message;
    migration.target.onEnd = undefined;
    if (state !== 'completed') migration.target.end('Killed', 'the migration failed');
  }

  end(reason: EndReason, message: string): void {
    if (this.state === 'ended') return;
    this.guest.stand();
    for (const timer of this.#stop?.timers ?? []) timer.cancel();
    if (this.migration?.state === 'active') this.migrationOver('failed', 'the machine has terminated');
    this.state = 'ended';
    this.ended = { reason, message, at: this.#clock.now() };
    this.onEnd?.();
    this.#changed();
  }
}

function progressOf(migration: Migration, now: number): MigrationProgress {
  const { uid, state, startedAt, endedAt, totalBytes, remaining, sent, mode, downtimeMs, message, transfer } =
    migration;
  const endsIn = transfer?.endsIn ?? Number.POSITIVE_INFINITY;
  return {
    uid,
    state,
    startedAt,
    ...(endsIn === Number.POSITIVE_INFINITY ? {} : { expectedEndAt: now + endsIn }),
    mode: transfer?.mode ?? mode,
    totalBytes,
    remainingBytes: Math.ceil(transfer?.remaining ?? remaining),
    transferredBytes: Math.round(transfer?.sent ?? sent),
    ...(downtimeMs === undefined ? {} : { downtimeMs }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(message === undefined ? {} : { message }),
  };
}
