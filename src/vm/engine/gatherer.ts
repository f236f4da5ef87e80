import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context, WatchSource } from '#platform/runtime/controller';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from './dialect.ts';
import type { Part, Surroundings } from './surroundings.ts';

/**
 * Gathers one part of the surroundings of machines. It is asked whenever a machine is looked at, so that it answers from
 * caches or from what it knows already; what it learns by other ways it tells with `context.enqueue`.
 */
export interface Gatherer<P extends Part = Part> {
  /** Resources whose changes concern machines, and which. */
  readonly watches?: readonly WatchSource[];
  /** Further resources that it looks up. */
  readonly reads?: readonly ResourceType[];
  /** Undefined where the machine has nothing to do with it. */
  gather(machine: ObjectOf<Kind> & KubeObject, context: Context): Surroundings[P] | undefined;
  /** The machine of this key is gone. */
  forget?(key: string): void;
}

/** Who gathers what, as far as anybody does. */
export type Gatherers = { readonly [P in Part]?: Gatherer<P> };

/** Those of the gatherers that a dialect asks for. */
export function askedOf({ asks = [] }: Pick<Dialect, 'asks'>, gatherers: Gatherers): readonly [Part, Gatherer][] {
  return asks.flatMap((part) => {
    const gatherer = gatherers[part] as Gatherer | undefined;
    return gatherer === undefined ? [] : [[part, gatherer] as [Part, Gatherer]];
  });
}
