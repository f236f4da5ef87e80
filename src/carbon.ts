import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { inherited } from './api/hypersdk/inherit.ts';
import { type VirtualMachine, virtualMachine } from './api/hypersdk/virtual-machine.ts';
import type { Clock } from './base/clock.ts';
import { ConfigError } from './base/errors.ts';
import type { Logger } from './base/logger.ts';
import { carbonGatherer, type NodePlaces } from './carbon/gatherer.ts';
import { type GridPlace, gridPlace, gridPlaces, type ZoneMap } from './carbon/grid-places.ts';
import { GridWatch } from './carbon/grid-watch.ts';
import { CarbonLedger } from './carbon/ledger.ts';
import { carbonMeasures, type RunningMachine } from './carbon/measures.ts';
import { CarbonError } from './carbon/provider.ts';
import { CARBON_CONFIG_MAP, type CarbonSettings, NO_CARBON, providerOf, refreshOf } from './carbon/settings.ts';
import { CONFIG_MAPS } from './kube/kinds/core.ts';
import { HYPERSDK_VMS, type HypersdkVm } from './kube/kinds/hypersdk.ts';
import { VMIS, type Vmi } from './kube/kinds/machines.ts';
import { NODES, type Node } from './kube/kinds/node.ts';
import type { PolicyRule } from './kube/kinds/rbac.ts';
import type { Dialect } from './machine/dialect.ts';
import type { Gatherer } from './machine/gatherer.ts';
import { aborted } from './runtime/aborted.ts';
import type { Cache } from './runtime/cache.ts';
import type { Informers } from './runtime/informers.ts';
import type { Measured } from './runtime/metrics.ts';
import type { Runnable } from './runtime/runnable.ts';

export interface CarbonParts {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the ConfigMap of the provider config-map is. */
  readonly namespace: string;
}

/** What heeding electricity takes of a process that looks after machines. */
export interface Carbon {
  /** `templateOf` finds the template that a machine names. */
  gatherer(templateOf?: Gatherer<'template'>['gather']): Gatherer<'carbon'>;
  /** Asks the provider; for whoever acts, and nobody else. */
  readonly runnable: Runnable;
  /** For /metrics; `cores` tells what an instance uses where anybody knows. */
  measures(cores?: (instance: Vmi) => number | undefined): readonly Measured[];
}

/** What the operator may do for it; the chart adds the ConfigMap where that is the provider. */
export const CARBON_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
];

/** Whether any machines heed electricity. */
export function isHeeded(dialects: readonly Dialect[]): boolean {
  return dialects.some(({ asks }) => asks?.includes('carbon') === true);
}

/** Puts together what heeds electricity, as the settings have it. */
export function carbonOf(settings: CarbonSettings = NO_CARBON, parts: CarbonParts): Carbon {
  const { informers, clock, log } = parts;
  const written = writtenDown(parts);
  const provider = providerOf(settings, {
    fetch,
    clock,
    token: process.env['VIMANA_CARBON_TOKEN'],
    readFile: (path) => readFile(path, 'utf8'),
    readToken,
    readConfigMap: async () => written.text(),
  });
  const watch = provider && new GridWatch({ provider, clock, log, refreshMs: refreshOf(settings) });
  const places = nodePlaces(settings.zoneMap);
  const ledger = new CarbonLedger(clock.now());
  return {
    gatherer: (templateOf = () => undefined) =>
      carbonGatherer({
        watch,
        places,
        usualZone: settings.zone,
        withoutData: settings.withoutData,
        heeds(machine, context) {
          const vm = machine as unknown as VirtualMachine;
          const template = templateOf(machine, context);
          if (typeof template !== 'object') return vm.spec.carbonAware;
          const { carbonAware = template.spec.defaultSpec?.carbonAware } = vm.spec;
          return carbonAware === undefined ? undefined : inherited(vm.spec, template.spec).carbonAware;
        },
      }),
    runnable: {
      name: 'grid-watch',
      async run(signal) {
        if (watch === undefined) return await aborted(signal);
        const stop = settings.provider === 'config-map' ? written.follow(() => watch.refresh()) : undefined;
        await watch.run(signal);
        stop?.();
      },
    },
    measures(cores = () => undefined) {
      if (watch === undefined) return [];
      const machines = informers.of(HYPERSDK_VMS).cache;
      const running = () => runningMachines(informers, settings, cores);
      return carbonMeasures({
        watch,
        ledger,
        power: settings.power,
        now: () => clock.now(),
        running,
        waiting: () => waitingZones(machines),
      });
    },
  };
}

/** The ConfigMap with the time series, followed from the first question on. */
function writtenDown({ informers, namespace }: CarbonParts) {
  const { name, key } = CARBON_CONFIG_MAP;
  const informer = () => informers.of(CONFIG_MAPS, { namespace, fieldSelector: `metadata.name=${name}` });
  return {
    async text() {
      await informer().synced;
      const text = informer().cache.get(`${namespace}/${name}`)?.data?.[key];
      if (text !== undefined) return text;
      throw new CarbonError('UNREADABLE', `there is no ConfigMap ${name} with ${key} in the namespace ${namespace}`, {
        hint: `kubectl -n ${namespace} create configmap ${name} --from-file=${key}`,
      });
    },
    follow: (changed: () => void) => informer().onChange(changed),
  };
}

/** Where nodes are, worked out anew only after nodes have changed. */
function nodePlaces(map: ZoneMap): NodePlaces {
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
): Iterable<RunningMachine> {
  const nodes = informers.of(NODES).cache;
  const machines = informers.of(HYPERSDK_VMS).cache;
  for (const instance of informers.of(VMIS).cache.all()) {
    const { phase, nodeName = '' } = instance.status ?? {};
    if (phase !== 'Running') continue;
    const owner = instance.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const isOurs = owner?.apiVersion.startsWith(`${virtualMachine.group}/`) === true;
    const machine = isOurs ? machines.get(`${instance.metadata.namespace}/${owner.name}`) : undefined;
    const here = gridPlace(nodes.get(nodeName)?.metadata.labels ?? {}, zoneMap)?.zone;
    const counts = here ?? machine?.status?.carbon?.zone ?? zone;
    yield { instance, machine, zone: counts, cores: cores(instance) };
  }
}

function* waitingZones(machines: Cache<HypersdkVm>): Iterable<string> {
  for (const machine of machines.all()) {
    const { carbon } = machine.status ?? {};
    if (carbon?.waitingSince !== undefined && carbon.startedAt === undefined) yield carbon.zone ?? '';
  }
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--carbon-token-file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
