import type { Clock, Timer } from '../../../base/clock.ts';

const MIB = 1024 * 1024;
/** What even an idle guest has in memory. */
const LEAST_RESIDENT = 128 * MIB;

/** Memory that a migration has to send at least once: pages of zeros are not sent. */
export function residentBytes(memoryBytes: number, utilization: number): number {
  return Math.min(memoryBytes, Math.max(LEAST_RESIDENT, memoryBytes * utilization));
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
  readonly done: () => void;
  readonly failed: (message: string) => void;
}

export interface TransferOptions {
  readonly clock: Clock;
  /** Bytes a second of the network card of a node. */
  readonly link: number;
  /** How long a transfer may come no nearer to its end. */
  readonly patienceMs?: number;
}

/** Steps by which a guest is slowed down, and how long each is tried; as QEMU has them. */
const THROTTLE = [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99];
const THROTTLE_MS = 1000;
const PATIENCE_MS = 150_000;

interface Running extends TransferRequest {
  remaining: number;
  /** Bytes a second by which the rest shrinks; negative or zero where the guest writes as fast as can be sent. */
  rate: number;
  at: number;
  throttle: number;
  stalledSince: number | undefined;
  timer: Timer | undefined;
}

/** A transfer that is under way. */
export interface Transfer {
  readonly remaining: number;
  /** Something that the rate depends on has changed. */
  changed(): void;
  cancel(): void;
}

/**
 * Pre-copy migrations over a shared network: each gets its share of the links of its two nodes, worked out anew for all
 * that share one whenever a transfer begins or ends. Time to the end is what is left / (bandwidth - dirty rate).
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
    if (running.rate > 0) running.remaining -= (running.rate * (now - running.at)) / 1000;
    running.at = now;
    const share = effectiveBandwidth(link, this.count(running.source).outgoing, this.count(running.target).incoming);
    const dirty = running.dirtyRate() * (1 - (THROTTLE[running.throttle] ?? 0));
    running.rate = Math.min(share, running.bandwidth ?? share) - dirty;
    running.timer?.cancel();
    running.timer = clock.timer(...this.#next(running, now, dirty));
  }

  /** What happens next if nothing changes. */
  #next(running: Running, now: number, dirty: number): [ms: number, fn: () => void] {
    const { patienceMs = PATIENCE_MS } = this.#options;
    if (running.rate > 0) {
      running.stalledSince = undefined;
      return [Math.max(0, (running.remaining / running.rate) * 1000), () => this.#finish(running)];
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
    const why = `does not converge: memory changes at ${Math.round(dirty)} bytes a second, and ${Math.round(running.rate + dirty)} can be sent`;
    return [running.stalledSince + patienceMs - now, () => this.#fail(running, why)];
  }

  #finish(running: Running): void {
    this.#end(running);
    running.done();
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
