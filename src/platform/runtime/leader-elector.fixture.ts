import { type Clock, cancellable, sleepBy, type Timer } from '#platform/base/clock';
import type { FakeClock } from '#platform/base/fake-clock';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { Lease } from '#platform/kube/kinds/node';
import { KubeError } from '#platform/kube/kube-error';

/** A server of one Lease that refuses what does not follow the present version. */
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
    // As Kubernetes does: what changes nothing makes no new version.
    return JSON.stringify(given.spec) === JSON.stringify(present.spec) ? present : this.#store(given);
  }

  #store(given: Lease): Lease {
    const metadata = { ...given.metadata, resourceVersion: String(++this.#version) };
    this.lease = structuredClone({ ...given, metadata });
    return this.lease;
  }
}

/** A clock of one machine: off by some time, a little too fast or slow, and standing still while its owner sleeps. */
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

  /** Stands still while the whole machine sleeps, as that of Linux does. */
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

  /** What falls due during a sleep happens at its end. */
  timer(ms: number, fn: () => void): Timer {
    let live = true;
    const fire = (): void => {
      if (!live) return;
      if (this.#asleep === undefined) fn();
      else this.#late.push(fire);
    };
    // What is left by a fraction that no clock can show would be left for ever.
    const timer = this.#true.timer((ms > 0 ? Math.max(ms, 0.001) : ms) / this.#rate, fire);
    return cancellable(() => {
      live = false;
      timer.cancel();
    });
  }

  /** Somebody sets the time of day. */
  set(byMs: number): void {
    this.#offset += byMs;
  }

  /** Nothing happens in the process until it is woken; with `machine`, even its clock stands still. */
  fallAsleep(machine: boolean): void {
    this.#asleep ??= { since: this.#true.monotonic(), machine };
  }

  wake(): void {
    if (this.#asleep?.machine === true) this.#slept += this.#true.monotonic() - this.#asleep.since;
    this.#asleep = undefined;
    // One after the other, each with what follows from it, as an event loop does that comes to timers which are late.
    for (const fire of this.#late.splice(0)) this.#true.timer(0, fire);
  }

  /** Settles when the process is awake. */
  awake(): Promise<void> {
    return new Promise((resolve) => void this.timer(0, resolve));
  }
}

export interface Faults {
  /** Milliseconds that a request takes at most on each of its two ways. */
  slowMs: number;
  /** How often a request is lost on its way, or its answer on the way back. */
  lost: number;
}

/** A client of the lease whose requests and answers take their time or are lost. It does not listen to its signal. */
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
      const answer = apply();
      await way();
      return answer;
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
