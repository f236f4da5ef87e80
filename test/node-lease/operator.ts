import { noopLogger } from '#platform/base/logger';
import type { Lease } from '#platform/kube/kinds/node';
import type { Context } from '#platform/runtime/controller';
import type { OwnClock } from '#platform/runtime/leader-elector.fixture';
import { NodeWatch } from '#vm/controllers/instance/node-watch';
import { type LeaseWorld, NODE } from './world.ts';

const EVERY_MS = 1000;

/** An operator with the real node watch, and a reconciliation that replaces the machine of a lost node. */
export class ModelOperator {
  readonly #world: LeaseWorld;
  readonly #own: OwnClock;
  readonly #name: string;
  readonly #nodes = new NodeWatch(40_000, () => ['machine']);
  readonly #context: Context;

  constructor(world: LeaseWorld, own: OwnClock, name: string, signal: AbortSignal) {
    this.#world = world;
    this.#own = own;
    this.#name = name;
    const nothing = { get: () => undefined, by: () => [] };
    this.#context = {
      client: world.reach(name, own),
      cache: () => nothing,
      clock: own,
      log: noopLogger,
      signal,
      enqueue() {},
    } as unknown as Context;
    void this.#run(signal);
  }

  /** Delivers watch events late or not at all. */
  async sees(lease: Lease): Promise<void> {
    const told = await this.#world.ask(this.#name, this.#own, () => lease).catch(() => undefined);
    if (told === undefined) return;
    const [leases] = this.#nodes.watches;
    const change = { type: 'updated', object: told, old: told } as const;
    leases?.keys(told, this.#context, change);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#reconcile().catch(() => {});
      await this.#own.sleep(EVERY_MS, signal).catch(() => {});
    }
  }

  async #reconcile(): Promise<void> {
    const { claim } = this.#world;
    // The instance is read first, so that the later write uses this version.
    const { phase, version } = await this.#world.ask(this.#name, this.#own, () => ({ ...claim }));
    if (phase !== 'Running' || !(await this.#nodes.isLost(NODE, this.#context))) return;
    await this.#world.ask(this.#name, this.#own, () => {
      if (claim.fail(version)) this.#world.replaced = true;
    });
  }
}
