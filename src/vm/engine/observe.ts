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
  /** Explains why admission would reject the VM, which is then left unchanged unless it is terminating. */
  readonly rejection?: Problem | undefined;
  /** Instance with the name of the VM, with any owner or none. */
  readonly instance: VirtualMachineInstance | undefined;
  /** Shutdown of an instance that the status does not report yet. */
  readonly unreported: Shutdown | undefined;
  readonly evacuationRequested: VmSituation['evacuationRequested'];
  readonly rollout: RolloutStrategy;
  readonly now: number;
  readonly random: Random;
}

/** Result of one observation of a VM. */
export interface Observation {
  readonly desired: DesiredVm;
  /** State recorded in the status. */
  readonly before: RecordedState;
  readonly observed: ObservedVm;
  /** Instance with the name of the VM, with any owner or none. */
  readonly named: VirtualMachineInstance | undefined;
  readonly changes: SpecChanges;
  /** Action to take. Undefined if there is none. */
  readonly action: VmAction | undefined;
}

/** A VM must not run while a restore changes its disks. */
const RESTORING: Blocker = {
  reason: 'Restoring',
  message: `the disks are being restored, as requested by annotation ${RESTORE_ANNOTATION}; remove the annotation to start without the restore`,
};

const UNCHANGED: SpecChanges = { live: undefined, restart: [] };

/** Observes a VM and its instance, and decides what to do and what to report. Pure except for `random`. */
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
  // Neither an instance that has ended nor one that is about to end needs a restart to get the new spec.
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

/** Returns the VM's addresses, where those of a running instance take precedence. */
function identityNow(before: Identity, instance: VirtualMachineInstance | undefined): Identity {
  const running = instance === undefined ? {} : identityOf(instance);
  return Object.keys(running).length === 0 ? before : running;
}

/** Returns the spec changes. An instance that was created from this generation cannot differ from it. */
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
  const reported = inheritedMetadata(desired).annotations;
  const changed = [...liveAnnotations].some((name) => reported[name] !== annotations[name]);
  if (!changed) return { live, restart: restartFor };
  const now = Object.fromEntries(Object.entries(reported).filter(([name]) => liveAnnotations.has(name)));
  return { live, restart: restartFor, annotations: now };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the running size. A pending or unmigratable instance retains the size that its launcher was created for. */
function runningSize({ status }: VirtualMachineInstance): RunningSize {
  const fixed = status?.conditions?.some((each) => each.type === 'LiveMigratable' && each.status === 'False') === true;
  return {
    migratable: status?.phase === 'Running' && !fixed,
    sockets: status?.currentCPUTopology?.sockets,
    minMemory: status?.memory?.guestAtBoot,
  };
}

/** Returns fields that the instance has adopted but that cannot take effect while it runs. */
function rejectedFields({ status }: VirtualMachineInstance): string[] {
  return (status?.conditions ?? []).flatMap(({ type, status: holds }) => {
    const field = HOT_CHANGES.get(type);
    return field === undefined || holds !== 'False' ? [] : [field];
  });
}

/** Returns labels and annotations of the template that the instance lacks. Others on the instance are ignored. */
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
