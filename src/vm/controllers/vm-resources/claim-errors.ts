import type { Context } from '#platform/runtime/controller';

/**
 * Holds the API server's errors for claims that it rejected, from the controller that creates them to the one that
 * reports on their VMs.
 */
export class ClaimErrors {
  /** Messages by VM and claim. */
  readonly #messages = new Map<string, Map<string, string>>();
  #wake: Context['enqueue'] | undefined;

  /** Returns the error of a claim. From then on `enqueue` is called for new ones. */
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
