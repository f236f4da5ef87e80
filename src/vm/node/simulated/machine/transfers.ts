import type { Clock, Timer } from '#platform/base/clock';

const MIB = 1024 * 1024;
/** What even an idle guest has in memory. */
const MIN_RESIDENT = 128 * MIB;

/** Memory that a migration has to send at least once: pages of zeros are not sent. */
export function residentBytes(memoryBytes: number, utilization: number): number {
  return Math.min(memoryBytes, Math.max(MIN_RESIDENT, memoryBytes * utilization));
}

/** What a machine has beside its memory, which is sent while the guest stands still. */
const DEVICE_STATE = 4 * MIB;
/** The guest stands still for the rest as soon as that can be sent in so long; as QEMU has it. */
const MAX_DOWNTIME_MS = 300;

/** How long the guest stands still at the end: memory is sent round by round, of what changed during the round before. */
export function downtimeMs(bytes: number, bandwidth: number, dirtyRate: number): number {
  const enough = (bandwidth * MAX_DOWNTIME_MS) / 1000;
  const again = dirtyRate / bandwidth;
  let left = bytes * again;
  if (again < 1) while (left > enough) left *= again;
  return Math.ceil(((left + DEVICE_STATE) / bandwidth) * 1000);
}

/** The share of the link that one of several transfers gets. */
export function effectiveBandwidth(link: number, outgoing: number, incoming: number): number {
  return link / Math.max(1, outgoing, incoming);
}

export interface TransferRequest {
  readonly source: string;
  readonly target: string;
  readonly bytes: number;
  /** Bytes a second that the guest writes anew; asked again whenever something changes. */
  readonly dirtyRate: () => number;
  readonly bandwidth?: number;
  readonly autoConverge?: boolean;
  readonly postCopy?: boolean;
  readonly done: (downtimeMs: number) => void;
  readonly failed: (message: string) => void;
}

export interface TransferOptions {
  readonly clock: Clock;
  /** Bytes a second of the network card of a node. */
  readonly link: number;
  /** How long a transfer may come no nearer to its end. */
  readonly timeoutMs?: number;
}

/** Steps by which a guest is slowed down, and how long each is tried; as QEMU has them. */
const THROTTLE = [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99];
const THROTTLE_MS = 1000;
const TIMEOUT_MS = 150_000;

interface Running extends TransferRequest {
  remaining: number;
  /** Bytes a second by which the rest shrinks; negative or zero where the guest writes as fast as can be sent. */
  rate: number;
  /** Bytes a second that are sent, and how many were by then. */
  speed: number;
  sent: number;
  dirty: number;
  mode: 'PreCopy' | 'PostCopy';
  at: number;
  throttle: number;
  stalledSince: number | undefined;
  timer: Timer | undefined;
}

/** A transfer that is under way. */
export interface Transfer {
  readonly remaining: number;
  readonly sent: number;
  readonly mode: 'PreCopy' | 'PostCopy';
  /** Milliseconds to the end if nothing changes; Infinity where it comes no nearer. */
  readonly endsIn: number;
  /** Something that the rate depends on has changed. */
  changed(): void;
  cancel(): void;
}

/**
 * Migrations over a shared network: each gets its share of the links of its two nodes, worked out anew for all that share
 * one whenever a transfer begins or ends. Time to the end is what is left / (bandwidth - dirty rate). With post-copy, what
 * is left when all was sent once is fetched while the guest goes on, so that nothing of it has to be sent again: a
 * transfer takes no longer than twice its memory does. The machine counts as that of its source until then.
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

  /** How many transfers use the links of a node. */
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

  /** What happens next if nothing changes. */
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
    const why = `does not converge: memory changes at ${Math.round(dirty)} bytes a second, and ${Math.round(speed)} can be sent`;
    return [running.stalledSince + timeoutMs - now, () => this.#fail(running, why)];
  }

  /** All was sent once; the guest goes on elsewhere, and what has changed since follows. */
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

  /** All that share a link with a transfer, itself included while it is under way. */
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
