import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context, WatchSource } from '#platform/runtime/controller';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from './dialect.ts';
import type { DependencyName, VmDependencies } from './vm-dependencies.ts';

/**
 * Provides one dependency of VMs from caches, since it is called at every observation of a VM. It reports what it
 * learns elsewhere with `context.enqueue`.
 */
export interface DependencyProvider<P extends DependencyName = DependencyName> {
  /** Resources whose changes concern VMs, mapped to these VMs. */
  readonly watches?: readonly WatchSource[];
  /** Further resources that it reads. */
  readonly reads?: readonly ResourceType[];
  /** Returns undefined if the dependency does not concern the VM. */
  provide(vm: ObjectOf<Kind> & KubeObject, context: Context): VmDependencies[P] | undefined;
  /** Drops the state of a deleted VM. */
  forget?(key: string): void;
}

/** Available providers by dependency. */
export type DependencyProviders = { readonly [P in DependencyName]?: DependencyProvider<P> };

/** Returns the providers that a dialect requests. */
export function requestedProviders(
  { dependencies = [] }: Pick<Dialect, 'dependencies'>,
  providers: DependencyProviders,
): readonly [DependencyName, DependencyProvider][] {
  return dependencies.flatMap((part) => {
    const provider = providers[part] as DependencyProvider | undefined;
    return provider === undefined ? [] : [[part, provider] as [DependencyName, DependencyProvider]];
  });
}
