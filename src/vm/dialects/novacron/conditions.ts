import type { VirtualMachine } from '#api/novacron/virtual-machine';
import { type Condition, hasCondition } from '#vm/engine/condition';
import type { ObservedVm } from '#vm/engine/dialect';
import type { VmDependencies } from '#vm/engine/vm-dependencies';
import { disksOf } from '../claims.ts';
import { isUp, no, type Paths, readyOf, restartOf, type Told, withPast, yes } from '../conditions.ts';
import type { Phase } from './phase.ts';
import type { Wanted } from './wanted.ts';

export interface Looks {
  readonly vm: VirtualMachine;
  readonly wanted: Wanted;
  readonly phase: Phase;
  readonly observed: ObservedVm;
  readonly claims: VmDependencies['claims'];
}

export function conditionsOf({ vm, wanted, phase, observed, claims }: Looks, now: string): Condition[] {
  const { instance, restartRequired } = observed;
  const disks = disksOf(wanted.disks, claims, isUp(instance));
  const told = [
    readyOf(observed, { running: vm.spec.running, phase, ready: READY }),
    movableOf(vm, instance),
    pausedOf(instance),
    // That all is well with them goes without saying; a machine that is to stay off needs none.
    ...(claims === undefined || disks.status === 'True' || phase === 'Stopped' ? [] : [disks]),
    ...(restartRequired.length === 0 ? [] : [restartOf(restartRequired, PATHS, wanted.blocked)]),
  ];
  return withPast(told, observed, wanted.blocked, vm.status?.conditions, now);
}

const READY = { reason: 'VMReady', message: 'the machine runs' };

type Instance = ObservedVm['instance'];

/** Whether the machine can be moved while it runs: its policy may forbid it, and its disks may not allow it. */
function movableOf({ spec }: VirtualMachine, instance: Instance): Told {
  if (!spec.migrationPolicy.allowLiveMigration) {
    return no('LiveMigratable', 'NotAllowed', 'spec.migrationPolicy.allowLiveMigration is false');
  }
  if (!isUp(instance)) return no('LiveMigratable', 'NotRunning', 'the machine does not run');
  const said = instance?.status?.conditions?.find(({ type }) => type === 'LiveMigratable');
  if (said?.status === 'True')
    return yes('LiveMigratable', 'MigrationCapable', 'the machine can be moved while it runs');
  return no(
    'LiveMigratable',
    said?.reason || 'NotKnown',
    said?.message || 'it is not known yet whether it can be moved',
  );
}

function pausedOf(instance: Instance): Told {
  return isUp(instance) && hasCondition(instance?.status?.conditions, 'Paused')
    ? yes('Paused', 'PausedByUser', 'the machine stands still')
    : no('Paused', 'NotPaused', 'nobody has paused the machine');
}

/** How fields of the instance are called in a machine of this group. */
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
