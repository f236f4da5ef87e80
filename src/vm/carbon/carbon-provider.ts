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
  /** VMs by the zones that they depend on. */
  const lookers = new Map<string, Set<string>>();
  const keyOf = ({ metadata }: CarbonVm) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  /** Time at which VMs that should start were first seen. Their maximum delay counts from then on. */
  const wishes = new Map<string, number>();
  const wishedAt = (machine: CarbonVm, isOpen: boolean, now: number): number => {
    const key = keyOf(machine);
    const at = wishes.get(key) ?? now;
    if (isOpen) wishes.set(key, at);
    else wishes.delete(key);
    return at;
  };
  const followed = new WeakSet<AbortSignal>();
  /** Subscribes a context once, since every run of the controller has its own queue. */
  const follow = (context: Context): void => {
    if (cache === undefined || followed.has(context.signal)) return;
    followed.add(context.signal);
    const stop = cache.onAnswer((zone) => {
      const keys = lookers.get(zone) ?? [];
      lookers.delete(zone);
      for (const key of keys) context.enqueue(key);
    });
    context.signal.addEventListener('abort', stop, { once: true });
  };
  return {
    reads: places.reads,
    provide(machine, context) {
      const vm = machine as unknown as VirtualMachine;
      const spec = vm.spec.running ? isCarbonAware(machine, context) : undefined;
      const now = context.clock.now();
      const isOpen = spec?.enabled === true && vm.status?.carbon?.startedAt === undefined;
      const wish = wishedAt(machine, isOpen, now);
      if (spec?.enabled !== true) return undefined;
      follow(context);
      const node = vm.status?.nodeName;
      const grid = (zone: string) => {
        const keys = lookers.get(zone) ?? new Set();
        lookers.set(zone, keys.add(keyOf(machine)));
        return (cache as IntensityCache).reading(zone);
      };
      return assessCarbon({
        ...settings,
        spec,
        status: vm.status,
        grid: cache === undefined ? undefined : grid,
        places: places.all(context),
        here: node === undefined ? undefined : places.of(node, context),
        requestedAt: wish,
        now,
      });
    },
    forget(key) {
      wishes.delete(key);
      for (const keys of lookers.values()) keys.delete(key);
    },
  };
}
