import type { NodeSize } from '#api/launcher-load';
import type { ResourceType } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import type { Context, WatchSource } from '#platform/runtime/controller';
import { type DependencyProvider, type DependencyProviders, requestedProviders } from './dependency-provider.ts';
import type { Dialect } from './dialect.ts';
import { ReferenceNode } from './reference-node.ts';
import type { DependencyName, VmDependencies } from './vm-dependencies.ts';
import type { AnyVm } from './vm-scope.ts';

/** Gathers what the VMs of one dialect depend on from the providers that the dialect requests. */
export class DialectDependencies {
  readonly #sizedByNodes: boolean;
  readonly #referenceNode: ReferenceNode;
  readonly #providers: readonly [DependencyName, DependencyProvider][];

  constructor(dialect: Dialect, providers: DependencyProviders = {}, referenceNode?: NodeSize) {
    this.#sizedByNodes = dialect.sizedByNodes === true;
    this.#referenceNode = new ReferenceNode(referenceNode);
    this.#providers = requestedProviders(dialect, providers);
  }

  get reads(): readonly ResourceType[] {
    return [...(this.#sizedByNodes ? [NODES] : []), ...this.#providers.flatMap(([, { reads = [] }]) => reads)];
  }

  get watches(): readonly WatchSource[] {
    return this.#providers.flatMap(([, { watches = [] }]) => watches);
  }

  of(vm: AnyVm, context: Context): VmDependencies {
    const { defaultNode } = this.#referenceNode;
    const referenceNode = this.#sizedByNodes ? this.#referenceNode.among(context.cache(NODES)) : defaultNode;
    if (this.#providers.length === 0) return { referenceNode };
    const provided = this.#providers.map(([part, provider]) => [part, provider.provide(vm, context)]);
    return { referenceNode, ...Object.fromEntries(provided) };
  }

  forget(key: string): void {
    for (const [, provider] of this.#providers) provider.forget?.(key);
  }
}
