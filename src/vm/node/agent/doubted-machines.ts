import { InvalidStateError, type Machine, type MachineDriver, MachineNotFoundError } from '../machine-driver.ts';
import type { ManagedNode } from './managed-node.ts';

/**
 * Holds machines that are paused because their node may have been declared lost, and resumes them if it was not. The
 * pause is not reported, since no user requested it.
 */
export class DoubtedMachines {
  readonly #byNode = new Map<string, Set<string>>();
  /** Serializes the changes, so that a machine is not held after its release. */
  #last: Promise<void> = Promise.resolve();

  has(node: string): boolean {
    return this.#byNode.has(node);
  }

  async hold({ name, driver }: ManagedNode): Promise<void> {
    const held = this.#byNode.get(name) ?? new Set();
    this.#byNode.set(name, held);
    await this.#inTurn(async () => {
      for (const machine of await driver.list()) await stop(machine, driver, held);
    });
  }

  /** Holds a machine that may arrive from another node. */
  async holdArrived({ name, driver }: ManagedNode, id: string): Promise<void> {
    await this.#inTurn(async () => {
      const held = this.#byNode.get(name);
      const machine = await driver.inspect(id);
      if (held !== undefined && machine !== undefined) await stop(machine, driver, held);
    });
  }

  async release({ name, driver }: ManagedNode): Promise<void> {
    if (!this.#byNode.has(name)) return;
    await this.#inTurn(async () => {
      for (const id of this.#byNode.get(name) ?? []) await unlessGone(driver.resume(id));
      this.#byNode.delete(name);
    });
  }

  /** Forgets the machines of a node, which have ended. */
  forget(node: string): void {
    this.#byNode.delete(node);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

async function stop({ spec: { id }, state }: Machine, driver: MachineDriver, held: Set<string>): Promise<void> {
  // A guest that is shutting down cannot be paused, and was about to end.
  if (state === 'stopping') await driver.kill(id, 'it was shutting down when its node may have been declared lost');
  if (state !== 'running') return;
  held.add(id);
  await unlessGone(driver.pause(id));
}

async function unlessGone(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof MachineNotFoundError) && !(error instanceof InvalidStateError)) throw error;
  }
}
