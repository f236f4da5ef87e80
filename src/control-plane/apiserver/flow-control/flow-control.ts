import type { Clock } from '#platform/base/clock';
import type { User } from '../access/user.ts';
import { tooManyRequests } from '../api-error.ts';
import { FairLimiter, type FairLimits, FlowLimitError, type Rejection } from './fair-limiter.ts';
import { flowOf } from './flow.ts';
import type { IsGone, Thread, ThreadShare } from './thread-share.ts';
import { type AnnounceWork, WORK } from './work.ts';

const MIB = 1024 * 1024;
/** Maximum time to wait: a quarter of the request timeout, as in Kubernetes. */
const MAX_WAIT_MS = 15_000;
const MAX_WAITING = 400;
/** Size that is assumed for a body of unknown length: the maximum. */
const MAX_BODY = 3 * MIB;
/** Minimum size that is reserved for a body in progress, which limits how many one user can keep open. */
const MIN_RESERVATION = MIB / 2;

/**
 * Maximum time for which a handshake counts. If it takes longer, its client is far away, or does not intend to finish
 * it.
 */
const MAX_HANDSHAKE_HOLD_MS = 25;

export interface FlowLimitSet {
  /** Limits of requests being executed, except for watches and bodies that are still arriving. */
  readonly seats: FairLimits;
  /** Limits of the bytes of bodies that are arriving or being processed. */
  readonly bodies: FairLimits;
  /** Limits of watches and other endless responses. */
  readonly watches: FairLimits;
  /** Limits of TLS handshakes in progress; a flow is an address. */
  readonly handshakes: FairLimits;
}

export const DEFAULT_LIMITS: FlowLimitSet = {
  seats: { total: 256, perFlow: 64, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS },
  bodies: { total: 256 * MIB, perFlow: 64 * MIB, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS },
  watches: { total: 20_000, perFlow: 1_000, maxWaiting: 0, maxWaitMs: MAX_WAIT_MS },
  handshakes: { total: 20, perFlow: 10, maxWaiting: 10_000, maxWaitMs: MAX_WAIT_MS },
};

/** Holds the resources of an admitted request. */
export interface FlowTicket {
  readonly work: AnnounceWork;
  /** Schedules work that is announced on behalf of the user that the sender acts as. All of it ends with the client. */
  readonly thread: Thread;
  /** Receives a body of the given length, or of any length, without delaying others meanwhile. */
  receive(length: number | undefined, read: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** Releases everything but the permission to stream. Call it once the response is known. */
  finish(): void;
  /** Begins an endless response. The returned function ends it. */
  beginStream(): () => void;
}

/** Counts the waiting, executing and rejected requests, for metrics. */
export interface FlowStatus {
  readonly executing: number;
  readonly waiting: number;
  readonly rejected: Readonly<Record<Rejection, number>>;
}

/**
 * Admits requests. A user who sends many waits, and is told to retry later (429) if that takes too long; other users do
 * not notice. Administrators and probes never wait.
 */
export class FlowControl {
  readonly #seats: FairLimiter;
  readonly #bodies: FairLimiter;
  readonly #watches: FairLimiter;
  readonly #handshakes: FairLimiter;
  readonly #clock: Pick<Clock, 'timer'>;
  readonly #thread: ThreadShare;
  readonly #rejected = { 'queue-full': 0, 'time-out': 0 };
  #exempt = 0;

  constructor(clock: Pick<Clock, 'timer'>, thread: ThreadShare, limits: Partial<FlowLimitSet> = {}) {
    const { seats, bodies, watches, handshakes } = { ...DEFAULT_LIMITS, ...limits };
    this.#handshakes = new FairLimiter(handshakes, clock);
    this.#clock = clock;
    this.#seats = new FairLimiter(seats, clock);
    this.#bodies = new FairLimiter(bodies, clock);
    this.#watches = new FairLimiter(watches, clock);
    this.#thread = thread;
  }

  get status(): FlowStatus {
    return {
      executing: this.#seats.held + this.#exempt,
      waiting: this.#seats.waiting + this.#bodies.waiting,
      rejected: { ...this.#rejected },
    };
  }

  /**
   * Admits the handshake of a new connection, and returns a function that marks it as finished. Handshakes from one
   * address wait for each other. Rejects if that takes too long.
   */
  async beginHandshake(address = ''): Promise<() => void> {
    const flow = `connections from ${address}`;
    await this.#handshakes.acquire(flow);
    let holds = true;
    const end = (): void => {
      if (holds) this.#handshakes.release(flow);
      holds = false;
      timer.cancel();
    };
    // A client that never finishes its handshake must not block those of others.
    const timer = this.#clock.timer(MAX_HANDSHAKE_HOLD_MS, end);
    await this.#thread.spend(flow, WORK.handshake);
    return end;
  }

  /** Admits a request. Throws or rejects with an ApiError (429) if its user has too many already. */
  admit(user: User, path: string, isGone: IsGone = () => false): FlowTicket | Promise<FlowTicket> {
    const flow = flowOf(user, path);
    const thread = this.#thread.of(isGone);
    if (flow === undefined) {
      void this.#thread.spend(undefined, WORK.request);
      return this.#exemptTicket(thread);
    }
    // This comes before acquiring a seat, because many rejections at once take time as well.
    const share = thread.spend(flow, WORK.request);
    return share === undefined ? this.#seated(flow, thread) : share.then(() => this.#seated(flow, thread));
  }

  #seated(flow: string, thread: Thread): FlowTicket | Promise<FlowTicket> {
    const turn = this.#acquire(this.#seats, flow, 1);
    return turn === undefined ? this.#ticket(flow, thread) : turn.then(() => this.#ticket(flow, thread));
  }

  #exemptTicket(thread: Thread): FlowTicket {
    let holds = true;
    this.#exempt++;
    this.#thread.enter(undefined);
    return {
      thread,
      work: (units) => thread.spend(undefined, units),
      receive: (_length, read) => read(),
      finish: () => {
        if (!holds) return;
        holds = false;
        this.#exempt--;
        this.#thread.leave(undefined);
      },
      beginStream: () => () => {},
    };
  }

  #ticket(flow: string, thread: Thread): FlowTicket {
    let seated = false;
    let reserved = 0;
    const sit = (): void => {
      seated = true;
      this.#thread.enter(flow);
    };
    const stand = (): void => {
      if (!seated) return;
      seated = false;
      this.#seats.release(flow);
      this.#thread.leave(flow);
    };
    sit();
    return {
      thread,
      work: (units) => thread.spend(flow, units),
      receive: async (length, read) => {
        // A slow sender holds no seat meanwhile.
        stand();
        const desired = Math.max(Math.min(length ?? MAX_BODY, MAX_BODY), MIN_RESERVATION);
        await this.#acquire(this.#bodies, flow, desired);
        reserved = desired;
        const body = await read();
        await this.#acquire(this.#seats, flow, 1);
        sit();
        // A longer body is read in chunks, each of which is announced.
        await thread.spend(flow, Math.min(body.length, WORK.chunk));
        return body;
      },
      finish: () => {
        stand();
        if (reserved > 0) this.#bodies.release(flow, reserved);
        reserved = 0;
      },
      beginStream: () => {
        void this.#acquire(this.#watches, flow, 1);
        return () => this.#watches.release(flow);
      },
    };
  }

  #acquire(limiter: FairLimiter, flow: string, amount: number): Promise<void> | undefined {
    try {
      return limiter.acquire(flow, amount)?.catch((error: unknown) => this.#reject(error));
    } catch (error) {
      return this.#reject(error);
    }
  }

  #reject(error: unknown): never {
    if (!(error instanceof FlowLimitError)) throw error;
    this.#rejected[error.reason]++;
    throw tooManyRequests('Too many requests, please try again later.', 1);
  }
}
