import { HOT_CHANGES } from '../../api/kubevirt/hot-change.ts';
import type { InstanceSpec } from '../../api/kubevirt/virtual-machine-instance.ts';
import { compare, parseQuantity, tryParseQuantity, value } from '../../base/quantity.ts';
import type { Vmi } from '../../kube/kinds/machines.ts';
import { holds } from '../../machine/condition.ts';
import type { MachineSize } from '../../machine/dialect.ts';
import { vcpusOf } from '../../machine/launcher/resources.ts';
import { type Course, fail, type GivingUp, type Turn, WAIT } from './course.ts';
import type { Operation } from './operation.ts';
import { type Active, powerOf } from './sight.ts';

/** The machine is of another size in the end: at once where it can be, else with its next start, and says so. */
export const resize: Course = {
  begin(sight) {
    const { dialect, vm } = sight;
    const before = dialect.size?.(vm);
    if (before === undefined)
      return fail('NotSupported', `machines of ${dialect.kind.group} cannot be resized by an operation`);
    const wanted = wantedBy(sight.operation, before);
    const result = resultOf(before, wanted);
    if (isSame(before, wanted))
      return {
        to: 'succeed',
        message: `the machine has ${wordsFor(wanted)} already`,
        result: { ...result, hotplug: false },
      };
    const objection = belowUsage(sight, wanted);
    if (objection !== undefined) return fail('BelowUsage', `${objection}: nothing has been changed`);
    const edited = dialect.resize?.(vm, wanted) ?? { conflict: `machines of ${dialect.kind.group} keep their size` };
    if (edited.conflict !== undefined) return fail('InvalidSize', `${edited.conflict}: nothing has been changed`);
    return {
      to: 'go on',
      checkpoint: { step: 'Resizing', before: JSON.stringify(before) },
      progress: 10,
      message: `the machine is to have ${wordsFor(wanted)}`,
      result,
      deeds: [{ do: 'change machine', body: { spec: edited.spec } }],
    };
  },
  go(sight, { before = '{}' }) {
    const old = JSON.parse(before) as MachineSize;
    const wanted = wantedBy(sight.operation, old);
    const has = sight.dialect.size?.(sight.vm) ?? old;
    if (isSame(has, wanted)) return arriving(sight, wanted);
    if (!isSame(has, old)) return fail('ChangedByOthers', `somebody else gave the machine ${wordsFor(has)} meanwhile`);
    const edited = sight.dialect.resize?.(sight.vm, wanted);
    if (edited === undefined || edited.conflict !== undefined) return WAIT;
    return { to: 'go on', deeds: [{ do: 'change machine', body: { spec: edited.spec } }] };
  },
  /** A size that has not reached the machine is taken back; what is plugged in stays. */
  giveUp(sight, { before = '{}' }): GivingUp {
    const old = JSON.parse(before) as MachineSize;
    const has = sight.dialect.size?.(sight.vm) ?? old;
    const edited = sight.dialect.resize?.(sight.vm, old);
    if (!isSame(has, wantedBy(sight.operation, old)) || edited === undefined || edited.conflict !== undefined)
      return { over: true, stays: `the machine has ${wordsFor(has)}` };
    const deeds = [{ do: 'change machine', body: { spec: edited.spec } }] as const;
    return { over: true, stays: `the machine is to have ${wordsFor(old)} again`, deeds };
  },
};

function wantedBy({ spec }: Operation, before: MachineSize): MachineSize {
  const { cpus = before.cpus, memory = before.memory } = spec.resizeSpec ?? {};
  return { cpus, memory };
}

const bytes = (memory: string) => tryParseQuantity(memory);
const wordsFor = ({ cpus, memory }: MachineSize) => `${cpusText(cpus)} and ${memory} of memory`;
export const cpusText = (cpus: number) => (cpus === 1 ? '1 CPU' : `${cpus} CPUs`);

function isSame(a: MachineSize, b: MachineSize): boolean {
  const [one, two] = [bytes(a.memory), bytes(b.memory)];
  return a.cpus === b.cpus && one !== undefined && two !== undefined && compare(one, two) === 0;
}

function resultOf(before: MachineSize, wanted: MachineSize) {
  return { oldCPUs: before.cpus, newCPUs: wanted.cpus, oldMemory: before.memory, newMemory: wanted.memory };
}

/** A machine that runs is not promised less than it uses. */
function belowUsage({ usage }: Active, { cpus, memory }: MachineSize): string | undefined {
  if (usage === undefined) return undefined;
  if (value(parseQuantity(memory)) < usage.memoryBytes)
    return `the machine uses ${Math.ceil(usage.memoryBytes / 2 ** 20)}Mi of memory, which is more than ${memory}`;
  if (cpus < usage.cpuCores)
    return `the machine uses ${Math.round(usage.cpuCores * 100) / 100} CPUs, which is more than ${cpus}`;
  return undefined;
}

/** The spec says the new size: whether the machine has it, or has to be started again for it. */
function arriving(sight: Active, wanted: MachineSize): Turn {
  const { vm, dialect, operation } = sight;
  const { live } = powerOf(sight);
  const words = wordsFor(wanted);
  const unplugged = { hotplug: false };
  if (live === undefined)
    return { to: 'succeed', message: `the machine has ${words} from its next start on`, result: unplugged };
  const asked = dialect.desired(vm).spec;
  const { conditions } = vm.status as { conditions?: readonly { type: string; status: string }[] } & object;
  const looked = dialect.memory(vm).generation === vm.metadata.generation;
  if (isTaken(live, asked) && !isRefused(live)) {
    if (isReached(live, asked))
      return { to: 'succeed', message: `the machine has ${words}`, result: { hotplug: true } };
    if (operation.spec.resizeSpec?.hotplug !== true)
      return { to: 'succeed', message: `the machine gets ${words} while it runs`, result: { hotplug: true } };
    return { to: 'go on', progress: 50, message: `${words} are being plugged in` };
  }
  if (!looked || !holds(conditions as never, 'RestartRequired')) return { to: 'go on', progress: 20 };
  return {
    to: 'succeed',
    reason: 'RestartRequired',
    message: `RestartRequired: the machine has ${words} from its next start on, and runs as before until then`,
    result: unplugged,
  };
}

export const memoryOf = ({ domain }: InstanceSpec) =>
  amount(domain.memory?.guest ?? domain.resources?.requests?.['memory']);
const amount = (text: string | number | undefined) => value(parseQuantity(text ?? 0));

/** The instance asks for the new size. */
const isTaken = ({ spec }: Vmi, asked: InstanceSpec) =>
  vcpusOf(spec.domain) === vcpusOf(asked.domain) && memoryOf(spec) === memoryOf(asked);

/** The guest has it. */
function isReached({ status }: Vmi, asked: InstanceSpec): boolean {
  const { sockets: has = 0, cores = 1, threads = 1 } = status?.currentCPUTopology ?? {};
  const memory = status?.memory?.guestCurrent;
  return has * cores * threads === vcpusOf(asked.domain) && memory !== undefined && amount(memory) === memoryOf(asked);
}

const isRefused = ({ status }: Vmi) => [...HOT_CHANGES.keys()].some((type) => holds(status?.conditions, type, 'False'));
