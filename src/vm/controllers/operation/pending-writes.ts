import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';

/** Tracks writes of any type for operations that caches may not show yet. */
export class PendingWrites {
  readonly #byType = new Map<string, { readonly type: ResourceType; readonly expected: Expectations }>();

  wrote(operation: string, type: ResourceType, object: KubeObject): void {
    const name = `${type.plural}.${type.group}`;
    const known = this.#byType.get(name) ?? { type, expected: new Expectations() };
    this.#byType.set(name, known);
    known.expected.wrote(operation, object);
  }

  areMet(operation: string, { cache }: Pick<Context, 'cache'>): boolean {
    return [...this.#byType.values()].every(({ type, expected }) => expected.met(operation, cache(type)));
  }

  forget(operation: string): void {
    for (const { expected } of this.#byType.values()) expected.forget(operation);
  }
}
