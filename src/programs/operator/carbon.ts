import { HYPERSDK_VMS, type HypersdkVm } from '#api/hypersdk/resources';
import { withTemplateDefaults } from '#api/hypersdk/template-defaults';
import { type VirtualMachine, virtualMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { NODES, type Node } from '#platform/kube/kinds/node';
import type { Cache } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';
import type { MetricDefinition } from '#platform/runtime/metrics';
import { waitForAbort } from '#platform/runtime/wait-for-abort';
import { carbonProvider, type NodeZones } from '#vm/carbon/carbon-provider';
import { type GridPlace, gridPlace, gridPlaces, type ZoneMap } from '#vm/carbon/grid-places';
import { IntensityCache } from '#vm/carbon/intensity-cache';
import { CarbonLedger } from '#vm/carbon/ledger';
import { carbonMeasures, type RunningVm } from '#vm/carbon/measures';
import { CarbonError, type CarbonProvider } from '#vm/carbon/provider';
import {
  CARBON_CONFIG_MAP,
  type CarbonSettings,
  NO_CARBON,
  type ProviderDeps,
  providerOf,
  refreshOf,
} from '#vm/carbon/settings';
import type { CarbonParts } from '#vm/dialects/group-controllers';
import type { Dialect } from '#vm/engine/dialect';

export interface CarbonDeps {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Namespace of the ConfigMap for the provider config-map. */
  readonly namespace: string;
  /** Sources that providers read. If absent, there is no provider. */
  readonly sources?: CarbonSources;
}

/** Files, the environment and the network, as providers read them. */
export type CarbonSources = Omit<ProviderDeps, 'clock' | 'readConfigMap'>;

/** Parts of a process that make its VMs carbon-aware. */
export interface Carbon extends CarbonParts {
  /** Provider of the settings. Undefined if there is none. */
  readonly source: CarbonProvider | undefined;
  /** Returns the metrics for /metrics. `cores` returns the usage of an instance if it is known. */
  measures(cores?: (instance: Vmi) => number | undefined): readonly MetricDefinition[];
}

/** Reports whether any dialect is carbon-aware. */
export function isCarbonAware(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ dependencies }) => dependencies?.includes('carbon') === true);
}

/** Creates the carbon parts for the settings. */
export function carbonOf(settings: CarbonSettings = NO_CARBON, parts: CarbonDeps): Carbon {
  const { informers, clock, log } = parts;
  const written = timeSeriesSource(parts);
  const provider =
    parts.sources && providerOf(settings, { ...parts.sources, clock, readConfigMap: async () => written.text() });
  const cache = provider && new IntensityCache({ provider, clock, log, refreshMs: refreshOf(settings) });
  const zones = nodePlaces(settings.zoneMap);
  const ledger = new CarbonLedger(clock.now());
  return {
    source: provider,
    provider: (templateOf = () => undefined) =>
      carbonProvider({
        cache,
        zones,
        defaultZone: settings.zone,
        withoutData: settings.withoutData,
        isCarbonAware(machine, context) {
          const vm = machine as unknown as VirtualMachine;
          const template = templateOf(machine, context);
          if (typeof template !== 'object') return vm.spec.carbonAware;
          const { spec } = template as VMTemplate;
          const { carbonAware = spec.defaultSpec?.carbonAware } = vm.spec;
          return carbonAware === undefined ? undefined : withTemplateDefaults(vm.spec, spec).carbonAware;
        },
      }),
    runnable: {
      name: 'grid-watch',
      async run(signal) {
        if (cache === undefined) return await waitForAbort(signal);
        const stop = settings.provider === 'config-map' ? written.follow(() => cache.refresh()) : undefined;
        await cache.run(signal);
        stop?.();
      },
    },
    measures(cores = () => undefined) {
      if (cache === undefined) return [];
      const machines = informers.of(HYPERSDK_VMS).cache;
      const running = () => runningMachines(informers, settings, cores);
      return carbonMeasures({
        cache,
        ledger,
        power: settings.power,
        now: () => clock.now(),
        running,
        waiting: () => waitingZones(machines),
      });
    },
  };
}

/** Reads the ConfigMap with the time series, and follows it from the first request on. */
function timeSeriesSource({ informers, namespace }: CarbonDeps) {
  const { name, key } = CARBON_CONFIG_MAP;
  const informer = () => informers.of(CONFIG_MAPS, { namespace, fieldSelector: `metadata.name=${name}` });
  return {
    async text() {
      await informer().synced;
      const text = informer().cache.get(`${namespace}/${name}`)?.data?.[key];
      if (text !== undefined) return text;
      throw new CarbonError('UNREADABLE', `no ConfigMap ${name} with the key ${key} in namespace ${namespace}`, {
        hint: `kubectl -n ${namespace} create configmap ${name} --from-file=${key}`,
      });
    },
    follow: (changed: () => void) => informer().onChange(changed),
  };
}

/** Returns the zones of nodes, computed again only after nodes have changed. */
function nodePlaces(map: ZoneMap): NodeZones {
  let known:
    | { readonly cache: Cache<Node>; readonly version: string; readonly places: readonly GridPlace[] }
    | undefined;
  const among = (cache: Cache<Node>): readonly GridPlace[] => {
    if (known?.cache !== cache || known.version !== cache.version) {
      const labels = [...cache.all()].map(({ metadata }) => metadata.labels ?? {});
      known = { cache, version: cache.version, places: gridPlaces(labels, map) };
    }
    return known.places;
  };
  return {
    reads: [NODES],
    all: ({ cache }) => among(cache(NODES)),
    of: (node, { cache }) => gridPlace(cache(NODES).get(node)?.metadata.labels ?? {}, map),
  };
}

function* runningMachines(
  informers: Informers,
  { zone, zoneMap }: CarbonSettings,
  cores: (instance: Vmi) => number | undefined,
): Iterable<RunningVm> {
  const nodes = informers.of(NODES).cache;
  const machines = informers.of(HYPERSDK_VMS).cache;
  for (const instance of informers.of(VMIS).cache.all()) {
    const { phase, nodeName = '' } = instance.status ?? {};
    if (phase !== 'Running') continue;
    const owner = instance.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const isOurs = owner?.apiVersion.startsWith(`${virtualMachine.group}/`) === true;
    const vm = isOurs ? machines.get(`${instance.metadata.namespace}/${owner.name}`) : undefined;
    const here = gridPlace(nodes.get(nodeName)?.metadata.labels ?? {}, zoneMap)?.zone;
    const counts = here ?? vm?.status?.carbon?.zone ?? zone;
    yield { instance, vm, zone: counts, cores: cores(instance) };
  }
}

function* waitingZones(machines: Cache<HypersdkVm>): Iterable<string> {
  for (const machine of machines.all()) {
    const { carbon } = machine.status ?? {};
    if (carbon?.waitingSince !== undefined && carbon.startedAt === undefined) yield carbon.zone ?? '';
  }
}
