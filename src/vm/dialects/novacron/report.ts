import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { jsonEqual } from '#platform/base/json-equal';
import { timestamp } from '#platform/base/timestamp';
import type { ObservedVm } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { interfacesStatus, recordedStatus } from '../recorded-state.ts';
import { smallDisksOf } from '../small-disks.ts';
import { conditionsOf } from './conditions.ts';
import { novacronDesiredSpecOf } from './desired-spec.ts';
import { migrationOf } from './migration.ts';
import { phaseOf } from './phase.ts';
import { resourcesOf, rootSize } from './resources.ts';

type Status = NonNullable<VirtualMachine['status']>;

/** Returns the whole status of a VM. */
export function report(vm: VirtualMachine, observed: ObservedVm, dependencies: Partial<VmDependencies> = {}): Status {
  const { instance, recorded, now } = observed;
  const desired = novacronDesiredSpecOf(vm, dependencies);
  const phase = phaseOf(vm, observed, desired.blocked !== undefined);
  const { claims, usage } = dependencies;
  const live = instance === undefined || isFinal(instance) ? undefined : instance;
  return withLastUpdated(vm.status, now, {
    observedGeneration: vm.metadata.generation,
    phase,
    ...(live === undefined ? {} : presenceOf(live)),
    resources: resourcesOf(vm, live, { phase, usage, disk: rootSize(desired.disks, claims) }),
    conditions: conditionsOf({ vm, desired, phase, observed, claims }, timestamp(now)),
    ...migrationOf(vm, observed),
    ...smallDisksOf(claims),
    ...interfacesStatus(recorded.identity),
    ...recordedStatus(recorded),
  });
}

/** Adds the time of the last change, which itself does not count as a change. */
function withLastUpdated(before: Status | undefined, now: number, status: Status): Status {
  const { lastUpdated = timestamp(now), ...said } = before ?? {};
  return { ...status, lastUpdated: jsonEqual(said, status) ? lastUpdated : timestamp(now) };
}

/** Returns the location of a VM that has not ended. */
function presenceOf({ metadata, status }: NonNullable<ObservedVm['instance']>): Partial<Status> {
  const { nodeName = '', interfaces = [] } = status ?? {};
  const addresses = interfaces.flatMap(({ ipAddresses = [] }) => ipAddresses ?? []);
  return {
    ...(nodeName === '' ? {} : { nodeName, vmID: metadata.uid }),
    ...(addresses.length === 0 ? {} : { ipAddresses: addresses }),
  };
}
