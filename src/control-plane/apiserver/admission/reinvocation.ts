import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';

/** A user-configured source of mutations: policies or webhooks. */
export interface Mutator {
  /** Reports whether nothing is configured. */
  readonly idle: boolean;
  mutate(write: AdmissionAttributes, object: KubeObject, turns: ReinvocationContext): Promise<KubeObject>;
}

/**
 * Tracks who is called in which round. The first round calls all, and the second only those with reinvocation after
 * whose call the object changed.
 */
export class ReinvocationContext {
  #second = false;
  #changed = false;
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();
  #output: KubeObject | undefined;

  /** Reports whether anything changed the object in this round. */
  get changed(): boolean {
    return this.#changed;
  }

  isOn(id: string): boolean {
    return !this.#second || this.#again.has(id);
  }

  /** Records a call. If it changed the object, earlier reinvocable ones are called again. */
  took(id: string, reinvocable: boolean, changed: boolean): void {
    if (changed) {
      this.#changed = true;
      this.#recall();
    }
    if (reinvocable) this.#asked.add(id);
  }

  endRound(output: KubeObject): void {
    this.#output = structuredClone(output);
  }

  /** Begins the second round. A change by others since the first round counts as a change for all. */
  beginSecond(input: KubeObject): void {
    this.#second = true;
    if (!jsonEqual(input, this.#output)) this.#recall();
  }

  #recall(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked.clear();
  }
}

/**
 * Runs the mutators. If one changed the object, all plugins before them and then the mutators run again, so that a
 * container that a webhook added gets all defaults.
 */
export function configuredMutation(before: readonly AdmissionPlugin[], mutators: readonly Mutator[]): AdmissionPlugin {
  const idle = () => mutators.every((mutator) => mutator.idle);

  async function run(write: AdmissionAttributes, given: KubeObject): Promise<KubeObject> {
    const turns = mutators.map(() => new ReinvocationContext());
    let object = given;
    for (const [i, mutator] of mutators.entries()) {
      object = await mutator.mutate(write, object, turns[i] as ReinvocationContext);
      turns[i]?.endRound(object);
    }
    if (!turns.some(({ changed }) => changed)) return object;
    for (const plugin of before) object = (await plugin.mutate?.({ ...write, object })) ?? object;
    for (const [i, mutator] of mutators.entries()) {
      turns[i]?.beginSecond(object);
      object = await mutator.mutate(write, object, turns[i] as ReinvocationContext);
    }
    return object;
  }

  return {
    name: 'ConfiguredMutation',
    mutate: (write) => (idle() || write.object === undefined ? undefined : run(write, write.object)),
    validate(write) {
      // A deletion has no object to mutate, but mutating webhooks and policies can still deny it.
      if (write.operation !== 'DELETE' || write.old === undefined || idle()) return undefined;
      return run(write, write.old).then(() => undefined);
    },
  };
}
