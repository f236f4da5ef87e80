import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { type Condition, hasCondition } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { diskReadyCondition } from '../claims.ts';
import {
  type ConditionDraft,
  conditionFalse,
  conditionTrue,
  isUp,
  type Paths,
  readyOf,
  restartOf,
  withPast,
} from '../conditions.ts';
import type { NovacronDesiredSpec } from './desired-spec.ts';
import type { Phase } from './phase.ts';

export interface NovacronConditionInput {
  readonly vm: VirtualMachine;
  readonly desired: NovacronDesiredSpec;
  readonly phase: Phase;
  readonly observed: ObservedVm;
  readonly claims: VmDependencies['claims'];
}

export function conditionsOf(
  { vm, desired, phase, observed, claims }: NovacronConditionInput,
  now: string,
): Condition[] {
  const { instance, restartRequired } = observed;
  const disks = diskReadyCondition(desired.disks, claims, isUp(instance));
  const told = [
    readyOf(observed, { running: vm.spec.running, phase, ready: READY }),
    movableOf(vm, instance),
    pausedOf(instance),
    // Only problems are reported, and a VM that should be stopped needs no disks.
    ...(claims === undefined || disks.status === 'True' || phase === 'Stopped' ? [] : [disks]),
    ...(restartRequired.length === 0 ? [] : [restartOf(restartRequired, PATHS, desired.blocked)]),
  ];
  return withPast(told, observed, desired.blocked, vm.status?.conditions, now);
}

const READY = { reason: 'VMReady', message: 'the VM is running' };

type Instance = ObservedVm['instance'];

/** Returns whether the VM can be live-migrated, which its policy may forbid and its disks may prevent. */
function movableOf({ spec }: VirtualMachine, instance: Instance): ConditionDraft {
  if (!spec.migrationPolicy.allowLiveMigration) {
    return conditionFalse('LiveMigratable', 'NotAllowed', 'spec.migrationPolicy.allowLiveMigration is false');
  }
  if (!isUp(instance)) return conditionFalse('LiveMigratable', 'NotRunning', 'the VM is not running');
  const said = instance?.status?.conditions?.find(({ type }) => type === 'LiveMigratable');
  if (said?.status === 'True')
    return conditionTrue('LiveMigratable', 'MigrationCapable', 'the VM can be live-migrated');
  return conditionFalse(
    'LiveMigratable',
    said?.reason || 'NotKnown',
    said?.message || 'it is not known yet whether the VM can be live-migrated',
  );
}

function pausedOf(instance: Instance): ConditionDraft {
  return isUp(instance) && hasCondition(instance?.status?.conditions, 'Paused')
    ? conditionTrue('Paused', 'PausedByUser', 'the VM is paused')
    : conditionFalse('Paused', 'NotPaused', 'the VM is not paused');
}

/** Maps instance fields to the field names of this group. */
const PATHS: Paths = [
  ['domain.cpu', 'template.spec.resources.cpu'],
  ['domain.memory', 'template.spec.resources.memory'],
  ['domain.devices.disks', 'template.spec.volumes'],
  ['domain.devices.interfaces', 'template.spec.networks'],
  ['volumes', 'template.spec.volumes'],
  ['networks', 'template.spec.networks'],
  ['metadata.labels', 'template.metadata.labels'],
  ['metadata.annotations', 'template.metadata.annotations'],
];
