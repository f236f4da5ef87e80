import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import { Expectation } from '#platform/runtime/expectation';

/** Tracks writes of any type for one operation that caches may not show yet. */
export class PendingWrites {
  readonly #byType = new Map<string, { readonly type: ResourceType; readonly expected: Expectation }>();

  wrote(type: ResourceType, object: KubeObject): void {
    const name = `${type.plural}.${type.group}`;
    const known = this.#byType.get(name) ?? { type, expected: new Expectation() };
    this.#byType.set(name, known);
    known.expected.wrote(object);
  }

  areMet({ cache }: Pick<Context, 'cache'>): boolean {
    return [...this.#byType.values()].every(({ type, expected }) => expected.isMet(cache(type)));
  }
}
