import { isRestoring, RESTORE_ANNOTATION } from '#api/disk/request';
import { BASIS_ANNOTATION, GENERATION_ANNOTATION } from '#api/instance-request';
import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Random } from '#platform/base/random';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Blocker, DesiredVm, Dialect, Identity, ObservedVm, Problem, RecordedState, Shutdown } from './dialect.ts';
import { identityOf } from './identity.ts';
import { inheritedMetadata } from './instance.ts';
import { isFinal, isTerminating, ownership } from './instance-state.ts';
import { planVm, problemOf, type VmAction, type VmSituation } from './plan-vm.ts';
import { nextRecordedState } from './recorded-state.ts';
import { type RolloutStrategy, type RunningSize, type SpecChanges, specChanges } from './spec-changes.ts';
import type { VmDependencies } from './vm-dependencies.ts';

export interface ObserveInput {
  readonly dialect: Dialect;
  readonly vm: ObjectOf<Kind>;
  readonly dependencies: VmDependencies;
  readonly terminating: VmSituation['vm']['leaving'];
  /** Why admission would not have let the machine in: it is left as it is then, unless it goes. */
  readonly rejection?: Problem | undefined;
  /** The instance by the name of the machine, whosever it is. */
  readonly instance: VirtualMachineInstance | undefined;
  /** How an instance ended, where the status does not tell yet. */
  readonly unreported: Shutdown | undefined;
  readonly evacuationRequested: VmSituation['evacuationRequested'];
  readonly rollout: RolloutStrategy;
  readonly now: number;
  readonly random: Random;
}

/** Everything that one look at a machine tells. */
export interface Observation {
  readonly desired: DesiredVm;
  /** What the status remembers. */
  readonly before: RecordedState;
  readonly observed: ObservedVm;
  /** The instance by the name of the machine, whosever it is. */
  readonly named: VirtualMachineInstance | undefined;
  readonly changes: SpecChanges;
  /** What is to be done; nothing where absent. */
  readonly action: VmAction | undefined;
}

/** Its disks would change under a machine that runs. */
const RESTORING: Blocker = {
  reason: 'Restoring',
  message: `the disks are being restored, as annotation ${RESTORE_ANNOTATION} asks; take it off to start without`,
};

const UNCHANGED: SpecChanges = { live: undefined, restart: [] };

/** Looks at a machine and its instance, and decides what to do and what to tell. Pure but for what is random. */
export function observe(look: ObserveInput): Observation {
  const { dialect, vm, terminating, instance: named, unreported, evacuationRequested, now, random } = look;
  const refusal = terminating === undefined ? look.rejection : undefined;
  const wanted = dialect.desiredVm(vm, look.dependencies);
  const desired = isRestoring(vm.metadata.annotations) ? { ...wanted, blocked: RESTORING } : wanted;
  const before = dialect.recordedState(vm);
  const whose = named === undefined ? undefined : ownership(named, vm.metadata.uid);
  const instance = whose === 'own' ? named : undefined;
  const remembered = nextRecordedState(unreported === undefined ? before : { ...before, lastShutdown: unreported }, {
    generation: vm.metadata.generation,
    runStrategy: desired.runStrategy,
    restarts: desired.restarts,
    instance,
    now,
    random,
  });
  const recorded = { ...remembered, identity: identityNow(before.identity, instance) };
  const changes =
    named === undefined || refusal !== undefined ? UNCHANGED : changesOf(look, desired, named, whose === 'own');
  const changed = before.generation !== undefined && before.generation !== vm.metadata.generation;
  const machine = { uid: vm.metadata.uid, changed, ...(terminating === undefined ? {} : { leaving: terminating }) };
  const situation: VmSituation = { vm: machine, desired, recorded, instance: named, changes, evacuationRequested, now };
  const problem = refusal ?? problemOf(situation);
  const action = refusal === undefined ? planVm(situation)[0] : undefined;
  // What has ended needs no restart to be started with what is wanted, and what is to end has been told how.
  const ends = instance === undefined || isFinal(instance) || isTerminating(instance) || action?.do === 'delete';
  return {
    desired,
    before,
    named,
    changes,
    action,
    observed: {
      instance,
      recorded,
      now,
      restartRequired: ends ? [] : [...new Set([...changes.restart, ...rejectedFields(instance)])],
      ...(problem === undefined ? {} : { problem }),
      ...(refusal === undefined && named === undefined && desired.blocked?.transient === true
        ? { transient: true }
        : {}),
    },
  };
}

/** Addresses that the instance runs with are those of the machine. */
function identityNow(before: Identity, instance: VirtualMachineInstance | undefined): Identity {
  const running = instance === undefined ? {} : identityOf(instance);
  return Object.keys(running).length === 0 ? before : running;
}

/** An instance that was made from this generation cannot differ from it. */
function changesOf(
  { dialect, vm, rollout }: ObserveInput,
  desired: DesiredVm,
  instance: VirtualMachineInstance,
  own: boolean,
): SpecChanges {
  const { annotations = {} } = instance.metadata;
  const isOfGeneration = own && annotations[GENERATION_ANNOTATION] === String(vm.metadata.generation);
  if (isOfGeneration && annotations[BASIS_ANNOTATION] === desired.basis) return UNCHANGED;
  const { live, restart } = specChanges(instance.spec, desired.spec, rollout, runningSize(instance));
  const { liveAnnotations = NONE } = dialect;
  const restartFor = [...restart, ...metadataChanges(desired, instance, liveAnnotations)];
  const told = inheritedMetadata(desired).annotations;
  const changed = [...liveAnnotations].some((name) => told[name] !== annotations[name]);
  if (!changed) return { live, restart: restartFor };
  const now = Object.fromEntries(Object.entries(told).filter(([name]) => liveAnnotations.has(name)));
  return { live, restart: restartFor, annotations: now };
}

const NONE: ReadonlySet<string> = new Set();

/** One that does not run yet, or cannot be moved, stays of the size that its launcher was made for. */
function runningSize({ status }: VirtualMachineInstance): RunningSize {
  const fixed = status?.conditions?.some((each) => each.type === 'LiveMigratable' && each.status === 'False') === true;
  return {
    migratable: status?.phase === 'Running' && !fixed,
    sockets: status?.currentCPUTopology?.sockets,
    minMemory: status?.memory?.guestAtBoot,
  };
}

/** Fields that the instance has taken over, and whose effect it cannot have while it runs. */
function rejectedFields({ status }: VirtualMachineInstance): string[] {
  return (status?.conditions ?? []).flatMap(({ type, status: holds }) => {
    const field = HOT_CHANGES.get(type);
    return field === undefined || holds !== 'False' ? [] : [field];
  });
}

/** Labels and annotations of the template that the instance does not carry; what else it carries may be anybody's. */
function metadataChanges(
  desired: DesiredVm,
  { metadata }: VirtualMachineInstance,
  live: ReadonlySet<string>,
): string[] {
  const wanted = inheritedMetadata(desired);
  const lacks = (words: Readonly<Record<string, string>>, has: Readonly<Record<string, string>> = {}) =>
    Object.entries(words).some(([name, value]) => has[name] !== value && !live.has(name));
  return [
    ...(lacks(wanted.labels, metadata.labels) ? ['metadata.labels'] : []),
    ...(lacks(wanted.annotations, metadata.annotations) ? ['metadata.annotations'] : []),
  ];
}
