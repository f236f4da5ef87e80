import type { Context } from '#platform/runtime/controller';

/**
 * Claims that the API server would not have: whoever makes them says so here, and whoever looks at their machines tells
 * it, in the server's own words.
 */
export class ClaimErrors {
  /** By machine and claim. */
  readonly #messages = new Map<string, Map<string, string>>();
  #wake: Context['enqueue'] | undefined;

  /** What was said of a claim; `enqueue` hears of news from then on. */
  of(vm: string, claim: string, enqueue: Context['enqueue']): string | undefined {
    this.#wake = enqueue;
    return this.#messages.get(vm)?.get(claim);
  }

  failed(vm: string, claim: string, words: string): void {
    const known = this.#messages.get(vm) ?? new Map<string, string>();
    if (known.get(claim) === words) return;
    this.#messages.set(vm, known.set(claim, words));
    this.#wake?.(vm);
  }

  succeeded(vm: string, claim: string): void {
    this.#messages.get(vm)?.delete(claim);
  }

  forget(vm: string): void {
    this.#messages.delete(vm);
  }
}
