import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';

/** A source of changes that users configure: policies, or webhooks. */
export interface Mutator {
  /** Whether there is nothing to ask. */
  readonly idle: boolean;
  mutate(write: AdmissionAttributes, object: KubeObject, turns: ReinvocationContext): Promise<KubeObject>;
}

/**
 * Who is to be asked in which round. In the first round everybody is; in the second, those that want to hear of it
 * when somebody changed the object after them, and nobody for the first time.
 */
export class ReinvocationContext {
  #second = false;
  #changed = false;
  readonly #asked = new Set<string>();
  readonly #again = new Set<string>();
  #output: KubeObject | undefined;

  /** Whether anything changed the object in this round. */
  get changed(): boolean {
    return this.#changed;
  }

  isOn(id: string): boolean {
    return !this.#second || this.#again.has(id);
  }

  /** Somebody was asked, and perhaps changed the object; those asked before may want to know. */
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

  /** What others have done since the first round counts as a change to all. */
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
 * Lets mutators change an object, and where one did, runs all plugins before them and then the mutators once more, so
 * that a container that a webhook added has what every container gets.
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
      // A deletion has no object to change, but those who would change one may refuse it.
      if (write.operation !== 'DELETE' || write.old === undefined || idle()) return undefined;
      return run(write, write.old).then(() => undefined);
    },
  };
}
