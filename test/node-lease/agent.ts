import { noopLogger } from '#platform/base/logger';
import type { OwnClock } from '#platform/runtime/leader-elector.fixture';
import { Leases } from '#vm/node/agent/leases';
import { type LeaseWorld, NODE } from './world.ts';

const RETRY_MS = 1000;

/** The node agent, with the real lease logic and a machine that obeys it. */
export class ModelAgent {
  readonly #world: LeaseWorld;
  readonly #own: OwnClock;
  #life: { readonly stop: AbortController; readonly leases: Leases } | undefined;
  machine: 'none' | 'running' | 'held' | 'ended' = 'none';
  /** Whether its process is suspended. */
  sleeps = false;
  /** Reason why the machine was stopped. */
  endedBy: string | undefined;

  constructor(world: LeaseWorld, own: OwnClock) {
    this.#world = world;
    this.#own = own;
    this.start();
  }

  /** Whether the machine makes progress. It does not until a suspended process has checked the time. */
  get runs(): boolean {
    return !this.sleeps && this.machine === 'running' && this.#life?.leases.held(NODE) === true;
  }

  start(): void {
    if (this.#life !== undefined) return;
    const stop = new AbortController();
    const alive = () => !stop.signal.aborted;
    const leases: Leases = new Leases({
      client: this.#world.reach('agent', this.#own),
      clock: this.#own,
      log: noopLogger,
      onHeld: () => void (alive() && this.#trusted(stop.signal)),
      onDoubt: () => void (alive() && this.machine === 'running' && (this.machine = 'held')),
      onLapsed: () => void (alive() && this.#end('lapse', stop.signal)),
      onLost: async () => {
        if (!alive()) return false;
        this.#end('loss', stop.signal);
        return await this.#isSettled();
      },
    });
    this.#life = { stop, leases };
    void leases.run(stop.signal);
    leases.add(NODE);
  }

  /** Its machine is stopped with it, as far as anything makes progress. The next process may adopt it. */
  kill(): void {
    this.#life?.stop.abort();
    this.#life = undefined;
    this.machine = 'none';
  }

  #trusted(signal: AbortSignal): void {
    if (this.machine === 'held') this.machine = 'running';
    if (this.machine === 'none') void this.#adopt(signal);
  }

  /**
   * Adopts the machine if its instance is assigned to this node. The instance may have been read at any time since the
   * start.
   */
  async #adopt(signal: AbortSignal): Promise<void> {
    const { claim } = this.#world;
    const { leases } = this.#life ?? {};
    await this.#try(signal, async () => {
      const phase = await this.#world.ask('agent', this.#own, () => claim.phase);
      if (signal.aborted || phase !== 'Running' || this.machine !== 'none') return;
      if (leases?.neverLost(NODE) === true) this.machine = leases.held(NODE) ? 'running' : 'held';
      else this.#end('loss', signal);
    });
  }

  #end(why: string, signal: AbortSignal): void {
    this.endedBy ??= why;
    this.machine = 'ended';
    void this.#try(signal, async () => {
      const version = await this.#world.ask('agent', this.#own, () => this.#world.claim.version);
      await this.#world.ask('agent', this.#own, () => this.#world.claim.fail(version));
    });
  }

  async #isSettled(): Promise<boolean> {
    const phase = await this.#world.ask('agent', this.#own, () => this.#world.claim.phase);
    return phase !== 'Running';
  }

  async #try(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await work();
        return;
      } catch {
        await this.#own.sleep(RETRY_MS);
      }
    }
  }
}
