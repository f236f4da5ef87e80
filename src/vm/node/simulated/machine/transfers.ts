import type { Clock, Timer } from '#platform/base/clock';

const MIB = 1024 * 1024;
/** Minimum memory in use, even by an idle guest. */
const MIN_RESIDENT = 128 * MIB;

/** Returns the memory that a migration must send at least once. Zero pages are not sent. */
export function residentBytes(memoryBytes: number, utilization: number): number {
  return Math.min(memoryBytes, Math.max(MIN_RESIDENT, memoryBytes * utilization));
}

/** Device state besides the memory, sent while the guest is paused. */
const DEVICE_STATE = 4 * MIB;
/** The guest is paused as soon as the rest can be sent within this time, as in QEMU. */
const MAX_DOWNTIME_MS = 300;

/** Returns the final downtime. Memory is sent in rounds, each with what changed during the previous one. */
export function downtimeMs(bytes: number, bandwidth: number, dirtyRate: number): number {
  const enough = (bandwidth * MAX_DOWNTIME_MS) / 1000;
  const again = dirtyRate / bandwidth;
  let left = bytes * again;
  if (again < 1) while (left > enough) left *= again;
  return Math.ceil(((left + DEVICE_STATE) / bandwidth) * 1000);
}

/** Returns the bandwidth of one of several transfers over a link. */
export function effectiveBandwidth(link: number, outgoing: number, incoming: number): number {
  return link / Math.max(1, outgoing, incoming);
}

export interface TransferRequest {
  readonly source: string;
  readonly target: string;
  readonly bytes: number;
  /** Returns the bytes per second that the guest rewrites. Called after every change. */
  readonly dirtyRate: () => number;
  readonly bandwidth?: number;
  readonly autoConverge?: boolean;
  readonly postCopy?: boolean;
  readonly done: (downtimeMs: number) => void;
  readonly failed: (message: string) => void;
}

export interface TransferOptions {
  readonly clock: Clock;
  /** Bandwidth of a node's network interface in bytes per second. */
  readonly link: number;
  /** Time that a transfer may make no progress. */
  readonly timeoutMs?: number;
}

/** Throttling steps of a guest and the duration of each, as in QEMU. */
const THROTTLE = [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99];
const THROTTLE_MS = 1000;
const TIMEOUT_MS = 150_000;

interface Running extends TransferRequest {
  remaining: number;
  /** Bytes per second by which the rest shrinks. Not positive if the guest writes as fast as can be sent. */
  rate: number;
  /** Bytes sent per second, and the total sent so far. */
  speed: number;
  sent: number;
  dirty: number;
  mode: 'PreCopy' | 'PostCopy';
  at: number;
  throttle: number;
  stalledSince: number | undefined;
  timer: Timer | undefined;
}

/** Transfer in progress. */
export interface Transfer {
  readonly remaining: number;
  readonly sent: number;
  readonly mode: 'PreCopy' | 'PostCopy';
  /** Milliseconds to the end if nothing changes. Infinity if it makes no progress. */
  readonly endsIn: number;
  /** Called after a change that affects the rate. */
  changed(): void;
  cancel(): void;
}

/**
 * Simulates migrations over a shared network. Each gets a part of the links of its two nodes, recomputed for all
 * transfers on a link whenever one begins or ends. The time to the end is the rest / (bandwidth - dirty rate).
 * With post-copy, the rest after the first pass is fetched while the guest runs and never sent again, so that a
 * transfer takes at most twice the time of its memory. Until then the machine counts as that of its source.
 */
export class Transfers {
  readonly #options: TransferOptions;
  readonly #outgoing = new Map<string, Set<Running>>();
  readonly #incoming = new Map<string, Set<Running>>();

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  start(request: TransferRequest): Transfer {
    const { clock } = this.#options;
    const running: Running = {
      ...request,
      remaining: request.bytes,
      rate: 0,
      speed: 0,
      sent: 0,
      dirty: 0,
      mode: 'PreCopy',
      at: clock.monotonic(),
      throttle: 0,
      stalledSince: undefined,
      timer: undefined,
    };
    setOf(this.#outgoing, request.source).add(running);
    setOf(this.#incoming, request.target).add(running);
    this.#neighbours(running, (each) => this.#adjust(each));
    return {
      get remaining() {
        const gone = (running.rate * (clock.monotonic() - running.at)) / 1000;
        return Math.max(0, Math.min(running.bytes, running.remaining - Math.max(0, gone)));
      },
      get sent() {
        return running.sent + (running.speed * (clock.monotonic() - running.at)) / 1000;
      },
      get mode() {
        return running.mode;
      },
      get endsIn() {
        return running.rate > 0 ? (this.remaining / running.rate) * 1000 : Number.POSITIVE_INFINITY;
      },
      changed: () => this.#adjust(running),
      cancel: () => this.#end(running),
    };
  }

  /** Returns the number of transfers over the links of a node. */
  count(node: string): { readonly outgoing: number; readonly incoming: number } {
    return { outgoing: this.#outgoing.get(node)?.size ?? 0, incoming: this.#incoming.get(node)?.size ?? 0 };
  }

  #adjust(running: Running): void {
    const { clock, link } = this.#options;
    const now = clock.monotonic();
    const seconds = (now - running.at) / 1000;
    if (running.rate > 0) running.remaining -= running.rate * seconds;
    running.sent += running.speed * seconds;
    running.at = now;
    const share = effectiveBandwidth(link, this.count(running.source).outgoing, this.count(running.target).incoming);
    running.speed = Math.min(share, running.bandwidth ?? share);
    const written = running.dirtyRate() * (1 - (THROTTLE[running.throttle] ?? 0));
    running.dirty = running.mode === 'PostCopy' ? 0 : written;
    running.rate = running.speed - running.dirty;
    running.timer?.cancel();
    running.timer = clock.timer(...this.#next(running, now));
  }

  /** Returns the next event if nothing changes. */
  #next(running: Running, now: number): [ms: number, fn: () => void] {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const { rate, dirty, speed, remaining } = running;
    const endsIn = rate > 0 ? Math.max(0, (remaining / rate) * 1000) : Number.POSITIVE_INFINITY;
    if (running.postCopy === true && running.mode === 'PreCopy') {
      const onceIn = Math.max(0, ((running.bytes - running.sent) / speed) * 1000);
      if (onceIn < endsIn) return [onceIn, () => this.#fetchRest(running)];
    }
    if (rate > 0) {
      running.stalledSince = undefined;
      return [endsIn, () => this.#finish(running)];
    }
    if (running.autoConverge === true && running.throttle < THROTTLE.length - 1) {
      return [
        THROTTLE_MS,
        () => {
          running.throttle++;
          this.#adjust(running);
        },
      ];
    }
    running.stalledSince ??= now;
    const why = `does not converge: memory changes at ${Math.round(dirty)} bytes/s, but only ${Math.round(speed)} bytes/s can be sent`;
    return [running.stalledSince + timeoutMs - now, () => this.#fail(running, why)];
  }

  /** Switches to post-copy after the first pass: the guest resumes elsewhere, and changed memory follows. */
  #fetchRest(running: Running): void {
    running.mode = 'PostCopy';
    this.#adjust(running);
  }

  #finish(running: Running): void {
    const { bytes, speed, dirty, at } = running;
    running.sent += (speed * (this.#options.clock.monotonic() - at)) / 1000;
    running.at = this.#options.clock.monotonic();
    this.#end(running);
    running.done(downtimeMs(bytes, speed, dirty));
  }

  #fail(running: Running, message: string): void {
    this.#end(running);
    running.failed(message);
  }

  #end(running: Running): void {
    running.timer?.cancel();
    if (this.#outgoing.get(running.source)?.delete(running) !== true) return;
    this.#incoming.get(running.target)?.delete(running);
    this.#neighbours(running, (each) => this.#adjust(each));
    drop(this.#outgoing, running.source);
    drop(this.#incoming, running.target);
  }

  /** Visits all transfers that share a link with this one, including itself while it is in progress. */
  #neighbours({ source, target }: Running, visit: (each: Running) => void): void {
    for (const each of new Set([...setOf(this.#outgoing, source), ...setOf(this.#incoming, target)])) visit(each);
  }
}

function setOf(map: Map<string, Set<Running>>, node: string): Set<Running> {
  let found = map.get(node);
  if (found === undefined) {
    found = new Set();
    map.set(node, found);
  }
  return found;
}

function drop(map: Map<string, Set<Running>>, node: string): void {
  if (map.get(node)?.size === 0) map.delete(node);
}
