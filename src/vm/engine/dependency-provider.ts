import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context, WatchSource } from '#platform/runtime/controller';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from './dialect.ts';
import type { DependencyName, VmDependencies } from './vm-dependencies.ts';

/**
 * Gathers one part of the surroundings of machines. It is asked whenever a machine is looked at, so that it answers from
 * caches or from what it knows already; what it learns by other ways it tells with `context.enqueue`.
 */
export interface DependencyProvider<P extends DependencyName = DependencyName> {
  /** Resources whose changes concern machines, and which. */
  readonly watches?: readonly WatchSource[];
  /** Further resources that it looks up. */
  readonly reads?: readonly ResourceType[];
  /** Undefined where the machine has nothing to do with it. */
  provide(vm: ObjectOf<Kind> & KubeObject, context: Context): VmDependencies[P] | undefined;
  /** The machine of this key is gone. */
  forget?(key: string): void;
}

/** Who gathers what, as far as anybody does. */
export type DependencyProviders = { readonly [P in DependencyName]?: DependencyProvider<P> };

/** Those of the gatherers that a dialect asks for. */
export function requestedProviders(
  { dependencies = [] }: Pick<Dialect, 'dependencies'>,
  providers: DependencyProviders,
): readonly [DependencyName, DependencyProvider][] {
  return dependencies.flatMap((part) => {
    const provider = providers[part] as DependencyProvider | undefined;
    return provider === undefined ? [] : [[part, provider] as [DependencyName, DependencyProvider]];
  });
}
