import { GENERATION_ANNOTATION } from '#api/instance-request';
import type { RunStrategy } from '#api/kubevirt/run-strategy';
import type { VirtualMachine } from '#api/kubevirt/virtual-machine';
import { timestamp } from '#platform/base/timestamp';
import { hasCondition } from '#vm/engine/condition';
import { instanceName, type ObservedVm } from '#vm/engine/dialect';
import { interfacesStatus, recordedStatus } from '../recorded-state.ts';
import { conditionsOf } from './conditions.ts';
import { printableStatus } from './printable-status.ts';

type Status = NonNullable<VirtualMachine['status']>;

/** Returns the status of a VM. Fields written by others are retained. */
export function report(vm: VirtualMachine, runStrategy: RunStrategy, observed: ObservedVm): Status {
  const { instance, recorded, now } = observed;
  const {
    stateChangeRequests: _asked,
    startFailure: _failed,
    runStrategy: _was,
    interfaces: _had,
    ...others
  } = vm.status ?? {};
  const leaving = vm.metadata.deletionTimestamp !== undefined;
  return {
    ...others,
    observedGeneration: observedGeneration(vm, observed),
    desiredGeneration: vm.metadata.generation,
    virtualMachine: instanceName({ instanceSuffix: '' }, vm.metadata.name),
    created: instance !== undefined,
    ready: hasCondition(instance?.status?.conditions, 'Ready'),
    printableStatus: printableStatus({ leaving, runStrategy, instance, memory: recorded }),
    conditions: conditionsOf(vm, observed, timestamp(now)),
    ...(recorded.runStrategy === undefined ? {} : { runStrategy: recorded.runStrategy }),
    ...recordedStatus(recorded),
    ...interfacesStatus(recorded.identity),
  };
}

/** Returns the generation in effect: the newest, unless a change waits for the next start. */
function observedGeneration({ metadata }: VirtualMachine, { instance, restartRequired }: ObservedVm): number {
  if (instance === undefined || restartRequired.length === 0) return metadata.generation;
  const made = Number(instance.metadata.annotations?.[GENERATION_ANNOTATION]);
  return Number.isSafeInteger(made) ? made : 0;
}
