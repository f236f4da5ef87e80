import type { VirtualMachine } from '../../api/novacron/virtual-machine.ts';
import { isSameJson } from '../../base/json-same.ts';
import { parseQuantity, value } from '../../base/quantity.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { ObservedMachine } from '../../machine/dialect.ts';
import { isFinal } from '../../machine/instance-state.ts';
import type { Usage } from '../../machine/metrics.ts';
import type { Surroundings } from '../../machine/surroundings.ts';
import { cardsOf, remembered } from '../memory.ts';
import { smallDisksOf } from '../small-disks.ts';
import { conditionsOf } from './conditions.ts';
import { migrationOf } from './migration.ts';
import { type Phase, phaseOf } from './phase.ts';
import { wantedOf } from './wanted.ts';

type Status = NonNullable<VirtualMachine['status']>;

/** The whole status of a machine. */
export function report(vm: VirtualMachine, observed: ObservedMachine, around: Partial<Surroundings> = {}): Status {
  const { instance, memory, now } = observed;
  const wanted = wantedOf(vm, around);
  const phase = phaseOf(vm, observed, wanted.blocked !== undefined);
  const { claims, usage } = around;
  const live = instance === undefined || isFinal(instance) ? undefined : instance;
  return dated(vm.status, now, {
    observedGeneration: vm.metadata.generation,
    phase,
    ...(live === undefined ? {} : presenceOf(live)),
    resources: resourcesOf(vm, phase, usage),
    conditions: conditionsOf({ vm, wanted, phase, observed, claims }, timestamp(now)),
    ...migrationOf(vm, observed),
    ...smallDisksOf(claims),
    ...cardsOf(memory.identity),
    ...remembered(memory),
  });
}

/** With the time of its last change, which is not itself a change. */
function dated(before: Status | undefined, now: number, status: Status): Status {
  const { lastUpdated = timestamp(now), ...said } = before ?? {};
  return { ...status, lastUpdated: isSameJson(said, status) ? lastUpdated : timestamp(now) };
}

/** Where a machine is that has not ended. */
function presenceOf({ metadata, status }: NonNullable<ObservedMachine['instance']>): Partial<Status> {
  const { nodeName = '', interfaces = [] } = status ?? {};
  const addresses = interfaces.flatMap(({ ipAddresses = [] }) => ipAddresses ?? []);
  return {
    ...(nodeName === '' ? {} : { nodeName, vmID: metadata.uid }),
    ...(addresses.length === 0 ? {} : { ipAddresses: addresses }),
  };
}

/** What a machine that runs was last measured to use stands until there is another measure. */
function resourcesOf(
  { spec, status }: VirtualMachine,
  phase: Phase,
  usage: Usage | undefined,
): NonNullable<Status['resources']> {
  const { cpu, memory, disk } = spec.template.spec.resources;
  const told = phase === 'Running' || phase === 'Migrating' ? status?.resources : undefined;
  const cpuUse = usage === undefined ? usedIn(told?.cpu) : share(`${round(usage.cpuCores, 100)}`, usage.cpuCores, cpu);
  const memoryUse =
    usage === undefined
      ? usedIn(told?.memory)
      : share(`${Math.round(usage.memoryBytes / MEBIBYTE)}Mi`, usage.memoryBytes, value(parseQuantity(memory)));
  return {
    cpu: { ...cpuUse, available: `${cpu}` },
    memory: { ...memoryUse, available: memory },
    ...(disk === undefined ? {} : { disk: { available: disk } }),
  };
}

const MEBIBYTE = 1_048_576;

const round = (amount: number, parts: number) => Math.round(amount * parts) / parts;

const share = (used: string, amount: number, all: number) => ({ used, percentage: round((amount / all) * 100, 10) });

type Told = NonNullable<NonNullable<Status['resources']>['cpu']>;

function usedIn({ used, percentage }: Told = {}): Pick<Told, 'used' | 'percentage'> {
  return {
    ...(used === undefined ? {} : { used }),
    ...(percentage === undefined ? {} : { percentage }),
  };
}
