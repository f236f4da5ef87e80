import { FakeClock } from '#platform/base/fake-clock';
import { type Random, seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { OwnClock } from '#platform/runtime/leader-elector.fixture';
import { NodeLeaseServer } from '#vm/node/agent/node-leases.fixture';

export const NODE = 'n';

/** Assignment of the only instance to a node, changed by compare-and-set. */
export class Claim {
  phase: 'Running' | 'Failed' = 'Running';
  version = 0;

  /** Returns whether the version was still current. */
  fail(version: number): boolean {
    if (this.version !== version) return false;
    this.phase = 'Failed';
    this.version++;
    return true;
  }
}

/** Unreliability of the network. */
export interface Network {
  slowMs: number;
  /** Processes whose requests are lost. */
  readonly cutOff: Set<string>;
}

/** A node with one machine, and all processes that may act on it, each with a clock that may stop. */
export class LeaseWorld {
  readonly clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  readonly server = new NodeLeaseServer();
  readonly claim = new Claim();
  readonly network: Network = { slowMs: 0, cutOff: new Set() };
  readonly random: Random;
  /** Whether the machine runs a second time on another node. */
  replaced = false;

  constructor(seed: number) {
    this.random = seededRandom(`${seed}`);
    this.server.create({ metadata: { name: NODE }, spec: { renewTime: 'before' } });
  }

  ownClock(): OwnClock {
    return new OwnClock(this.clock, 0, 1);
  }

  /** Connection of a process to the server. Requests in progress continue while the process is suspended. */
  reach(who: string, own: OwnClock): Client {
    return this.server.client(
      () => this.#way(who),
      () => this.#back(who, own),
    );
  }

  /** Performs an action on the assignment over the network, as a process would. */
  async ask<T>(who: string, own: OwnClock, apply: () => T): Promise<T> {
    await this.#way(who);
    const answer = apply();
    await this.#back(who, own);
    return answer;
  }

  async #way(who: string): Promise<void> {
    if (this.network.slowMs > 0) await this.clock.sleep(this.random.next() * this.network.slowMs);
    if (this.network.cutOff.has(who)) throw new Error('lost on its way');
  }

  async #back(who: string, own: OwnClock): Promise<void> {
    try {
      await this.#way(who);
    } finally {
      await own.awake();
    }
  }
}
