import { type Clock, cancellable, sleepBy, type Timer } from '#platform/base/clock';
import type { FakeClock } from '#platform/base/fake-clock';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { Lease } from '#platform/kube/kinds/node';
import { KubeError } from '#platform/kube/kube-error';

/** Server of one Lease that rejects writes that do not follow the present version. */
export class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  get(): Lease {
    if (this.lease === undefined) throw new KubeError(404, 'NotFound', 'no such lease');
    return this.lease;
  }

  create(given: object): Lease {
    if (this.lease !== undefined) throw new KubeError(409, 'AlreadyExists', 'it is there');
    return this.#store(given as Lease);
  }

  update(given: Lease): Lease {
    const present = this.get();
    if (given.metadata.resourceVersion !== present.metadata.resourceVersion) {
      throw new KubeError(409, 'Conflict', 'it has changed');
    }
    // As in Kubernetes, an update that changes nothing creates no new version.
    return JSON.stringify(given.spec) === JSON.stringify(present.spec) ? present : this.#store(given);
  }

  #store(given: Lease): Lease {
    const metadata = { ...given.metadata, resourceVersion: String(++this.#version) };
    this.lease = structuredClone({ ...given, metadata });
    return this.lease;
  }
}

/** Clock of one host. It can be off, slightly fast or slow, and stops while its owner sleeps. */
export class OwnClock implements Clock {
  readonly #true: FakeClock;
  #offset: number;
  readonly #rate: number;
  readonly #late: (() => void)[] = [];
  #slept = 0;
  #asleep: { readonly since: number; readonly machine: boolean } | undefined;

  constructor(clock: FakeClock, offset: number, rate: number) {
    this.#true = clock;
    this.#offset = offset;
    this.#rate = rate;
  }

  now(): number {
    return this.#offset + this.#true.now() * this.#rate;
  }

  /** Stops while the whole host sleeps, as the monotonic clock of Linux does. */
  monotonic(): number {
    const asleep = this.#asleep?.machine === true ? this.#true.monotonic() - this.#asleep.since : 0;
    return (this.#true.monotonic() - this.#slept - asleep) * this.#rate;
  }

  uptime(): number {
    return this.#true.monotonic() * this.#rate;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal);
  }

  /** Timers that become due during a sleep fire at its end. */
  timer(ms: number, fn: () => void): Timer {
    let live = true;
    const fire = (): void => {
      if (!live) return;
      if (this.#asleep === undefined) fn();
      else this.#late.push(fire);
    };
    // A remainder smaller than any clock can show would remain forever.
    const timer = this.#true.timer((ms > 0 ? Math.max(ms, 0.001) : ms) / this.#rate, fire);
    return cancellable(() => {
      live = false;
      timer.cancel();
    });
  }

  /** Sets the time of day. */
  set(byMs: number): void {
    this.#offset += byMs;
  }

  /** Suspends the process until it is woken. With `machine`, even its clock stops. */
  fallAsleep(machine: boolean): void {
    this.#asleep ??= { since: this.#true.monotonic(), machine };
  }

  wake(): void {
    if (this.#asleep?.machine === true) this.#slept += this.#true.monotonic() - this.#asleep.since;
    this.#asleep = undefined;
    // Late timers fire one after the other, each with its consequences, as in an event loop.
    for (const fire of this.#late.splice(0)) this.#true.timer(0, fire);
  }

  /** Resolves when the process is awake. */
  awake(): Promise<void> {
    return new Promise((resolve) => void this.timer(0, resolve));
  }
}

export interface Faults {
  /** Maximum time that a request and its response each take, in milliseconds. */
  slowMs: number;
  /** Probability that a request, or its response, is lost. */
  lost: number;
}

/** Creates a client of the lease whose requests and responses are delayed or lost. It ignores its signal. */
export function faultyClient(
  server: LeaseServer,
  clock: FakeClock,
  own: OwnClock,
  random: Random,
  faults: Faults,
): Client {
  const way = async () => {
    await clock.sleep(random.next() * faults.slowMs);
    if (random.next() < faults.lost) throw new Error('lost on its way');
  };
  const call = async <T>(apply: () => T): Promise<T> => {
    try {
      await way();
      const response = apply();
      await way();
      return response;
    } finally {
      await own.awake();
    }
  };
  return {
    get: () => call(() => server.get()),
    create: (_type: unknown, object: object) => call(() => server.create(object)),
    update: (_type: unknown, object: Lease) => call(() => server.update(object)),
  } as unknown as Client;
}
