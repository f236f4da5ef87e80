import type { Context } from '#platform/runtime/controller';

/**
 * Claims that the API server would not have: whoever makes them says so here, and whoever looks at their machines tells
 * it, in the server's own words.
 */
export class ClaimRefusals {
  /** By machine and claim. */
  readonly #words = new Map<string, Map<string, string>>();
  #wake: Context['enqueue'] | undefined;

  /** What was said of a claim; `enqueue` hears of news from then on. */
  of(machine: string, claim: string, enqueue: Context['enqueue']): string | undefined {
    this.#wake = enqueue;
    return this.#words.get(machine)?.get(claim);
  }

  refused(machine: string, claim: string, words: string): void {
    const known = this.#words.get(machine) ?? new Map<string, string>();
    if (known.get(claim) === words) return;
    this.#words.set(machine, known.set(claim, words));
    this.#wake?.(machine);
  }

  made(machine: string, claim: string): void {
    this.#words.get(machine)?.delete(claim);
  }

  forget(machine: string): void {
    this.#words.delete(machine);
  }
}
