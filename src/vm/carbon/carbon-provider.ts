import type { CarbonAware } from '#api/hypersdk/carbon-aware';
import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { DependencyProvider } from '#vm/engine/dependency-provider';
import { assessCarbon } from './assess-carbon.ts';
import type { GridPlace } from './grid-places.ts';
import type { IntensityCache } from './intensity-cache.ts';

type Context = Parameters<DependencyProvider['provide']>[1];
type CarbonVm = Parameters<DependencyProvider['provide']>[0];

/** Lookup of the grid places of the nodes of a cluster. */
export interface NodeZones {
  readonly reads: NonNullable<DependencyProvider['reads']>;
  all(context: Context): readonly GridPlace[];
  of(node: string, context: Context): GridPlace | undefined;
}

export interface CarbonProviderOptions {
  /** Cache of intensities. Undefined if no provider is configured. */
  readonly cache: IntensityCache | undefined;
  readonly defaultZone: string | undefined;
  readonly withoutData: 'start' | 'wait';
  readonly zones: NodeZones;
  /** Returns the carbon settings of a VM with the defaults of its template, or undefined if it has none. */
  readonly isCarbonAware: (machine: CarbonVm, context: Context) => CarbonAware | undefined;
}

/** Provides the carbon assessment of VMs, and wakes them with every response for a zone that they depend on. */
export function carbonProvider({
  cache,
  zones: places,
  isCarbonAware,
  ...settings
}: CarbonProviderOptions): DependencyProvider<'carbon'> {
  const readers = new ZoneReaders();
  const requests = new StartRequests();
  return {
    reads: places.reads,
    provide(machine, context) {
      const vm = machine as unknown as VirtualMachine;
      const spec = vm.spec.running ? isCarbonAware(machine, context) : undefined;
      const now = context.clock.now();
      const isOpen = spec?.enabled === true && vm.status?.carbon?.startedAt === undefined;
      const requestedAt = requests.at(keyOf(machine), isOpen, now);
      if (spec?.enabled !== true) return undefined;
      if (cache !== undefined) readers.follow(cache, context);
      const node = vm.status?.nodeName;
      const grid = (zone: string) => {
        readers.add(zone, keyOf(machine));
        return (cache as IntensityCache).reading(zone);
      };
      return assessCarbon({
        ...settings,
        spec,
        status: vm.status,
        grid: cache === undefined ? undefined : grid,
        places: places.all(context),
        here: node === undefined ? undefined : places.of(node, context),
        requestedAt,
        now,
      });
    },
    forget(key) {
      requests.forget(key);
      readers.forget(key);
    },
  };
}

const keyOf = ({ metadata }: CarbonVm) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** Times at which VMs that should start were first seen. Their maximum delay counts from then on. */
class StartRequests {
  readonly #times = new Map<string, number>();

  at(key: string, isOpen: boolean, now: number): number {
    const at = this.#times.get(key) ?? now;
    if (isOpen) this.#times.set(key, at);
    else this.#times.delete(key);
    return at;
  }

  forget(key: string): void {
    this.#times.delete(key);
  }
}

/** VMs by the zones that they depend on. */
class ZoneReaders {
  readonly #byZone = new Map<string, Set<string>>();
  readonly #followed = new WeakSet<AbortSignal>();

  add(zone: string, key: string): void {
    const keys = this.#byZone.get(zone) ?? new Set();
    this.#byZone.set(zone, keys.add(key));
  }

  /** Subscribes a context once, since every run of the controller has its own queue. */
  follow(cache: IntensityCache, context: Context): void {
    if (this.#followed.has(context.signal)) return;
    this.#followed.add(context.signal);
    const stop = cache.onAnswer((zone) => {
      const keys = this.#byZone.get(zone) ?? [];
      this.#byZone.delete(zone);
      for (const key of keys) context.enqueue(key);
    });
    context.signal.addEventListener('abort', stop, { once: true });
  }

  forget(key: string): void {
    for (const keys of this.#byZone.values()) keys.delete(key);
  }
}
