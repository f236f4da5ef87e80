import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import type { Vmi } from '#api/kubevirt/resources';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { readRecord } from '#platform/base/json-record';
import { compare, parseQuantity, tryParseQuantity, value } from '#platform/base/quantity';
import { hasCondition } from '#vm/engine/condition';
import type { VmSize } from '#vm/engine/dialect';
import { vcpusOf } from '#vm/engine/launcher/resources';
import type { Checkpoint, Operation } from './operation.ts';
import { type AbortResult, fail, type OperationHandler, type StepResult, WAIT } from './operation-handler.ts';
import { type ActiveOperationView, hasUnfinishedMigration, powerState } from './operation-view.ts';

/** Changes the size of the VM, at once if possible, else with its next start, which is then reported. */
export const resize: OperationHandler = {
  begin(view) {
    const { dialect, vm } = view;
    const before = dialect.size?.(vm);
    if (before === undefined)
      return fail('NotSupported', `VMs of ${dialect.kind.group} cannot be resized by an operation`);
    const desired = requestedBy(view.operation, before);
    const result = resultOf(before, desired);
    if (isSame(before, desired))
      return {
        to: 'succeed',
        message: `the VM already has ${formatSize(desired)}`,
        result: { ...result, hotplug: false },
      };
    const objection = belowUsage(view, desired);
    if (objection !== undefined) return fail('BelowUsage', `${objection}: nothing has been changed`);
    if (isTooLittle(desired, before))
      return fail('InvalidSize', `a VM needs at least ${MIN_MEMORY} of memory: nothing has been changed`);
    const edited = dialect.resize?.(vm, desired) ?? { conflict: `VMs of ${dialect.kind.group} cannot be resized` };
    if (edited.conflict !== undefined) return fail('InvalidSize', `${edited.conflict}: nothing has been changed`);
    return {
      to: 'continue',
      checkpoint: { step: 'Resizing', before: JSON.stringify(before) },
      progress: 10,
      message: `resizing the VM to ${formatSize(desired)}`,
      result,
      actions: [{ do: 'patch VM', body: { spec: edited.spec } }],
    };
  },
  advance(view, checkpoint) {
    const { before = '{}' } = checkpoint;
    const old = recordedSize(before, view);
    const desired = requestedBy(view.operation, old);
    const has = view.dialect.size?.(view.vm) ?? old;
    if (isSame(has, desired)) return awaitSize(view, desired, old, checkpoint);
    if (!isSame(has, old)) return fail('ChangedByOthers', `the VM was resized to ${formatSize(has)} by another client`);
    const edited = view.dialect.resize?.(view.vm, desired);
    if (edited === undefined || edited.conflict !== undefined) return WAIT;
    return { to: 'continue', actions: [{ do: 'patch VM', body: { spec: edited.spec } }] };
  },
  /** Reverts a size that has not reached the running VM. What is plugged in stays. */
  abort(view, { before = '{}' }): AbortResult {
    const old = recordedSize(before, view);
    const has = view.dialect.size?.(view.vm) ?? old;
    const edited = view.dialect.resize?.(view.vm, old);
    const { live } = powerState(view);
    const isThere = live !== undefined && partsOf(live, view).every(({ state }) => state === 'has');
    const isMine = !isThere && isSame(has, requestedBy(view.operation, old));
    if (!isMine || edited === undefined || edited.conflict !== undefined)
      return { finished: true, stays: `the VM has ${formatSize(has)}` };
    const actions = [{ do: 'patch VM', body: { spec: edited.spec } }] as const;
    return { finished: true, stays: `the VM is resized back to ${formatSize(old)}`, actions };
  },
};

/** Returns the recorded size, or that of the spec if there is no valid record. */
function recordedSize(before: string, { dialect, vm }: ActiveOperationView): VmSize {
  const { cpus, memory } = readRecord(before);
  const known = dialect.size?.(vm) ?? { cpus: 1, memory: MIN_MEMORY };
  return {
    cpus: typeof cpus === 'number' ? cpus : known.cpus,
    memory: typeof memory === 'string' && bytes(memory) !== undefined ? memory : known.memory,
  };
}

function requestedBy({ spec }: Operation, before: VmSize): VmSize {
  const { cpus = before.cpus, memory = before.memory } = spec.resizeSpec ?? {};
  return { cpus, memory };
}

const bytes = (memory: string) => tryParseQuantity(memory);
const formatSizeParts = ({ cpus, memory }: VmSize) => [formatCpus(cpus), `${memory} of memory`] as const;
const formatSize = (size: VmSize) => formatSizeParts(size).join(' and ');
export const formatCpus = (cpus: number) => (cpus === 1 ? '1 CPU' : `${cpus} CPUs`);

function isSame(a: VmSize, b: VmSize): boolean {
  const [one, two] = [bytes(a.memory), bytes(b.memory)];
  return a.cpus === b.cpus && one !== undefined && two !== undefined && compare(one, two) === 0;
}

function resultOf(before: VmSize, desired: VmSize) {
  return { oldCPUs: before.cpus, newCPUs: desired.cpus, oldMemory: before.memory, newMemory: desired.memory };
}

/** Minimum memory, below which even the smallest systems do not start. */
const MIN_MEMORY = '32Mi';

function isTooLittle({ memory }: VmSize, before: VmSize): boolean {
  const amount = value(parseQuantity(memory));
  return amount < value(parseQuantity(MIN_MEMORY)) && amount < value(parseQuantity(before.memory));
}

/** Returns the objection to a size below the current usage of a running VM. */
function belowUsage({ usage }: ActiveOperationView, { cpus, memory }: VmSize): string | undefined {
  if (usage === undefined) return undefined;
  if (value(parseQuantity(memory)) < usage.memoryBytes)
    return `the VM uses ${Math.ceil(usage.memoryBytes / 2 ** 20)}Mi of memory, which is more than ${memory}`;
  if (cpus < usage.cpuCores)
    return `the VM uses ${Math.round(usage.cpuCores * 100) / 100} CPUs, which is more than ${cpus}`;
  return undefined;
}

/** Time for which a required restart has to be observed, since the instance may be observed later than its VM. */
const SETTLED_MS = 1000;

/** Waits, once the spec has the new size, until the running VM has all of it that it can get without a restart. */
function awaitSize(
  view: ActiveOperationView,
  desired: VmSize,
  old: VmSize,
  { step, since = '' }: Checkpoint,
): StepResult {
  const { now } = view;
  const { live, isRunning } = powerState(view);
  const words = formatSize(desired);
  if (live === undefined)
    return { to: 'succeed', message: `the VM has ${words} from its next start`, result: { hotplug: false } };
  const parts = partsOf(live, view);
  const those = (state: ResizePart['state']) => parts.filter((part) => part.state === state).map((part) => part.words);
  const [coming, later] = [those('comes'), those('later')];
  if (later.length > 0 && !isRestartReported(view)) return { to: 'continue', progress: 20 };
  const rest = later.length === 0 ? '' : `; it has ${later.join(' and ')} from its next start`;
  // Plugged parts arrive with a migration, which other operations would disturb.
  const plugged = those('has').filter((part) => !formatSizeParts(old).includes(part));
  const isMoving = coming.length > 0 || (plugged.length > 0 && hasUnfinishedMigration(view));
  if (isMoving) {
    const message = `${(coming.length > 0 ? coming : plugged).join(' and ')} are being hot-plugged by a migration${rest}`;
    return { to: 'continue', progress: 50, message };
  }
  if (later.length === 0) return { to: 'succeed', message: `the VM has ${words}`, result: { hotplug: true } };
  const settled = step === 'Settling' ? Date.parse(since) + SETTLED_MS - now : SETTLED_MS;
  if (settled > 0) return { to: 'continue', progress: 60, checkpoint: { step: 'Settling' }, requeueAfterMs: settled };
  const until = isRunning ? ' and keeps its current size until then' : '';
  const message =
    plugged.length === 0
      ? `RestartRequired: the VM has ${words} from its next start${until}`
      : `RestartRequired: the VM has ${plugged.join(' and ')} now${rest}`;
  return { to: 'succeed', reason: 'RestartRequired', message, result: { hotplug: plugged.length > 0 } };
}

/** Reports whether the VM's status says, for its current spec, that a restart is required. */
function isRestartReported({ vm, dialect }: ActiveOperationView): boolean {
  const { conditions } = (vm.status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return (
    dialect.recordedState(vm).generation === vm.metadata.generation &&
    hasCondition(conditions as never, 'RestartRequired')
  );
}

/** CPU or memory part of a size. */
interface ResizePart {
  readonly words: string;
  /** State of the part: the running VM has it, gets it while it runs, or gets it with its next start. */
  readonly state: 'has' | 'comes' | 'later';
}

function partsOf({ spec, status }: Vmi, { dialect, vm }: ActiveOperationView): readonly ResizePart[] {
  const requested = dialect.desiredVm(vm).spec;
  const { sockets = 0, cores = 1, threads = 1 } = status?.currentCPUTopology ?? {};
  const guest = status?.memory?.guestCurrent;
  const rejected = new Set(
    [...HOT_CHANGES].flatMap(([type, field]) => (hasCondition(status?.conditions, type, 'False') ? [field] : [])),
  );
  const stateOf = (isTaken: boolean, field: string, isReached: boolean): ResizePart['state'] => {
    if (!isTaken || rejected.has(field)) return 'later';
    return isReached ? 'has' : 'comes';
  };
  const cpus = vcpusOf(requested.domain);
  const memory = memoryOf(requested);
  const [cpuWords, memoryWords] = formatSizeParts(dialect.size?.(vm) ?? { cpus, memory: `${memory}` });
  return [
    {
      words: cpuWords,
      state: stateOf(vcpusOf(spec.domain) === cpus, 'domain.cpu.sockets', sockets * cores * threads === cpus),
    },
    {
      words: memoryWords,
      state: stateOf(memoryOf(spec) === memory, 'domain.memory.guest', guest !== undefined && amount(guest) === memory),
    },
  ];
}

export const memoryOf = ({ domain }: InstanceSpec) =>
  amount(domain.memory?.guest ?? domain.resources?.requests?.['memory']);
const amount = (text: string | number | undefined) => value(parseQuantity(text ?? 0));
