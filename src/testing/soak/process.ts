import { TemporaryError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { fencedClient } from '#platform/runtime/fenced-client';
import type { Runnable } from '#platform/runtime/runnable';

/** Creates the content of a process again. Its only connection to the cluster is the client. */
export type Program = (client: Client) => Runnable;

/** Process that can be killed at any moment and started again. */
export class SoakProcess {
  readonly name: string;
  readonly #client: Client;
  readonly #program: Program;
  #life: { readonly stop: AbortController; readonly ended: Promise<void>; dead: boolean } | undefined;
  /** Error of the program, which should never fail. */
  failure: unknown;

  constructor(name: string, client: Client, program: Program) {
    this.name = name;
    this.#client = client;
    this.#program = program;
  }

  get runs(): boolean {
    return this.#life !== undefined;
  }

  start(): void {
    if (this.#life !== undefined) return;
    const stop = new AbortController();
    const life = { stop, dead: false, ended: Promise.resolve() };
    const reads = mortal(this.#client, () => life.dead);
    life.ended = this.#program(reads)
      .run(stop.signal)
      .catch((error: unknown) => {
        if (!life.dead) this.failure ??= error;
      });
    this.#life = life;
  }

  /** Ends the process as kill -9 would: nothing that it does from now on reaches the server. */
  kill(): void {
    if (this.#life === undefined) return;
    this.#life.dead = true;
    this.#life.stop.abort();
    this.#life = undefined;
  }

  /** Stops the process gracefully. */
  async stop(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    life?.stop.abort();
    await life?.ended;
  }
}

/** Returns a client that is cut off when its process is dead. */
function mortal(client: Client, isDead: () => boolean): Client {
  const check = () => {
    if (isDead()) throw new TemporaryError('the process is dead');
  };
  const guarded = fencedClient(client, { check, signal: new AbortController().signal });
  const alive = async <T>(run: () => Promise<T>): Promise<T> => {
    check();
    const response = await run();
    check();
    return response;
  };
  return {
    ...guarded,
    get: (...args) => alive(() => client.get(...args)),
    list: (...args) => alive(() => client.list(...args)),
    raw: (...args) => alive(() => client.raw(...args)),
  };
}
