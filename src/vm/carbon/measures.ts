import type { VirtualMachine } from '#api/hypersdk/virtual-machine';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { IntensityCache } from './intensity-cache.ts';
import type { CarbonLedger, Emitter, Entry } from './ledger.ts';
import { type PowerModel, wattsOf } from './power-model.ts';
import { gibOf } from './report.ts';
import { slotAt } from './slot.ts';

/** Running VM with all that its emissions depend on. */
export interface RunningVm {
  readonly instance: VirtualMachineInstance;
  /** VM of the instance, if it is of hypersdk.io. */
  readonly vm: VirtualMachine | undefined;
  /** Grid zone of its electricity. */
  readonly zone: string | undefined;
  /** Cores in use, if known. */
  readonly cores: number | undefined;
}

export interface CarbonMeasuresOptions {
  readonly cache: IntensityCache;
  readonly ledger: CarbonLedger;
  readonly power: PowerModel;
  readonly running: () => Iterable<RunningVm>;
  /** Returns the zones of VMs that wait for clean electricity, one for each VM. */
  readonly waiting: () => Iterable<string>;
  readonly now: () => number;
}

/** Metric that is computed when it is collected. */
interface Measured {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly type?: 'gauge' | 'counter';
  values(): Iterable<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }>;
}

/** Returns the metrics for intensity and emissions. Emissions are summed up to now on each collection. */
export function carbonMeasures(options: CarbonMeasuresOptions): readonly Measured[] {
  return [
    intensity(options),
    providerRequests(options),
    vmPower(options),
    ...emissions(options),
    {
      name: 'vimana_carbon_waiting_vms',
      help: 'Virtual machines waiting for clean electricity.',
      labels: ['zone'],
      values() {
        const counts = new Map<string, number>();
        for (const zone of options.waiting()) counts.set(zone, (counts.get(zone) ?? 0) + 1);
        return [...counts].map(([zone, value]) => ({ labels: { zone }, value }));
      },
    },
  ];
}

function intensity({ cache, now }: CarbonMeasuresOptions): Measured {
  return {
    name: 'vimana_carbon_intensity_grams_per_kilowatthour',
    help: 'Current carbon intensity of a grid zone.',
    labels: ['zone'],
    *values() {
      for (const [zone, slots] of cache.known()) {
        const found = slotAt(slots, now());
        if (found !== undefined) yield { labels: { zone }, value: found.intensity };
      }
    },
  };
}

function providerRequests({ cache }: CarbonMeasuresOptions): Measured {
  return {
    name: 'vimana_carbon_provider_requests_total',
    help: 'Requests to the carbon intensity provider, by result.',
    labels: ['provider', 'result'],
    type: 'counter',
    values: () =>
      Object.entries(cache.counts).map(([result, value]) => ({
        labels: { provider: cache.provider.name, result },
        value,
      })),
  };
}

function vmPower({ running, power }: CarbonMeasuresOptions): Measured {
  return {
    name: 'vimana_vm_power_watts',
    help: 'Estimated power of a running virtual machine, including its share of the data center overhead.',
    labels: ['group', 'namespace', 'vm', 'zone'],
    *values() {
      for (const { instance, zone = '', cores } of running()) {
        const { namespace, name, ownerReferences } = instance.metadata;
        const owner = ownerReferences?.find(({ controller }) => controller === true);
        const group = (owner?.apiVersion ?? instance.apiVersion).split('/')[0] ?? '';
        const vm = owner?.name ?? name;
        yield {
          labels: { group, namespace, vm, zone },
          value: wattsOf({ ...sizeOf(instance), load: loadOf(instance, cores) }, power),
        };
      }
    },
  };
}

function emissions(options: CarbonMeasuresOptions): readonly Measured[] {
  const { cache, ledger, now } = options;
  const slotsOf = (zone: string) => cache.reading(zone).slots;
  const sums = (of: () => Iterable<Entry>): Measured['values'] =>
    function* values() {
      ledger.advance(now(), emitters(options), slotsOf);
      for (const { namespace, zone, grams } of of()) yield { labels: { namespace, zone }, value: grams };
    };
  return [
    {
      name: 'vimana_carbon_emissions_grams_total',
      help: 'Estimated emissions of virtual machines since the operator started.',
      labels: ['namespace', 'zone'],
      type: 'counter',
      values: sums(() => ledger.emitted),
    },
    {
      name: 'vimana_carbon_saved_grams',
      help: 'Estimated emissions avoided by waiting for clean electricity since the operator started.',
      labels: ['namespace', 'zone'],
      values: sums(() => ledger.saved),
    },
  ];
}

function* emitters({ running, power }: CarbonMeasuresOptions): Iterable<Emitter> {
  for (const { instance, vm, zone, cores } of running()) {
    if (zone === undefined) continue;
    const { namespace, creationTimestamp } = instance.metadata;
    const watts = wattsOf({ ...sizeOf(instance), load: loadOf(instance, cores) }, power);
    yield { namespace, zone, watts, since: Date.parse(creationTimestamp) || 0, ...waitedOf(vm, zone) };
  }
}

/** Returns the wait of a VM if it was for the zone that the VM runs in. A wait for another zone changed nothing. */
function waitedOf(machine: VirtualMachine | undefined, zone: string): Pick<Emitter, 'waited'> {
  const { waitingSince, startedAt, intensityWhenAsked, zone: waitedFor } = machine?.status?.carbon ?? {};
  if (waitingSince === undefined || startedAt === undefined || intensityWhenAsked === undefined) return {};
  if (waitedFor !== zone) return {};
  const began = Date.parse(startedAt);
  return { waited: { intensityWhenAsked, startedAt: began, ms: began - Date.parse(waitingSince) } };
}

function sizeOf({ spec, status }: VirtualMachineInstance): { cpus: number; memoryGib: number } {
  const { cores = 1, sockets = 1, threads = 1 } = { ...spec.domain.cpu, ...status?.currentCPUTopology };
  return { cpus: cores * sockets * threads, memoryGib: gibOf(spec.domain.memory?.guest ?? 0) };
}

function loadOf(instance: VirtualMachineInstance, cores: number | undefined): number | undefined {
  return cores === undefined ? undefined : cores / sizeOf(instance).cpus;
}
