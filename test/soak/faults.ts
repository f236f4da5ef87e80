import { INSTANCE_PHASES } from '#api/kubevirt/group';
import { HOT_CHANGES } from '#api/kubevirt/hot-change';
import { VMIMS, VMIS, VMS, type Vm, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL } from '#api/launcher';
import { parseLauncherSize } from '#api/launcher-size';
import { milliValue, parseQuantity, value } from '#platform/base/quantity';
import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { KubeObject } from '#platform/kube/kube-object';
import type { FoundMachine } from '#testing/soak/running-vms';
import type { SoakHarness } from '#testing/soak/soak-harness';

/** All objects after everything has settled. */
interface Scene {
  readonly vms: readonly Vm[];
  readonly vmis: readonly Vmi[];
  readonly pods: readonly Pod[];
  readonly migrations: readonly Vmim[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly running: ReadonlyMap<string, FoundMachine>;
}

const FINISHED_RETAINED = 5;

/** Returns inconsistencies after everything has settled. */
export async function faultsOf({ admin, machines, processes, addresses }: SoakHarness): Promise<string[]> {
  const scene = await look(admin, await machines.running());
  return [
    ...machines.doubled.map((what) => `ran twice: ${what}`),
    ...machines.shrunk.map((what) => `shrank while it ran: ${what}`),
    ...machines.early.map((what) => `ran before its instance said so: ${what}`),
    ...addresses.changed.map((what) => `lost its addresses: ${what}`),
    ...processes.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [`${name} failed: ${(failure as Error).message}`],
    ),
    ...unfinished(scene),
    ...scene.vms.flatMap((vm) => faultsOfMachine(vm, scene)),
    ...scene.vmis.flatMap((vmi) => faultsOfInstance(vmi, scene)),
    ...leftovers(scene),
    ...sharedAddresses(scene),
  ];
}

async function look(admin: Client, running: Scene['running']): Promise<Scene> {
  const items = async <T extends KubeObject>(list: Promise<{ readonly items: readonly T[] }>) => (await list).items;
  const [vms, vmis, pods, migrations, budgets] = await Promise.all([
    items(admin.list(VMS)),
    items(admin.list(VMIS)),
    items(admin.list(PODS)),
    items(admin.list(VMIMS)),
    items(admin.list(POD_DISRUPTION_BUDGETS)),
  ]);
  return { vms, vmis, pods, migrations, budgets, running };
}

const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
const isFinal = ({ status }: Vmi) => status?.phase === 'Succeeded' || status?.phase === 'Failed';
const isOver = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';
type Conditioned = { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
const holds = (status: Conditioned | undefined, type: string) =>
  status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;

function unfinished({ vms, vmis, pods, migrations, budgets }: Scene): string[] {
  const all: readonly KubeObject[] = [...vms, ...vmis, ...pods, ...migrations, ...budgets];
  return all
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map((each) => `${each.kind} ${keyOf(each)} is still being deleted`);
}

/** Checks that a VM, its instance and the actual machine agree. */
function faultsOfMachine(vm: Vm, { vmis, running }: Scene): string[] {
  const key = keyOf(vm);
  const { status, spec } = vm;
  const vmi = vmis.find((each) => keyOf(each) === key);
  const found = running.get(key);
  const state = status?.printableStatus ?? 'without status';
  const runs = found !== undefined;
  const says = `${key} (${spec.runStrategy ?? spec.running}): machine ${state}, instance ${vmi?.status?.phase ?? 'none'}, ${runs ? 'running' : 'not running'}`;
  const shown = found?.paused === true ? 'Paused' : 'Running';
  const strategy = spec.runStrategy ?? (spec.running === true ? 'Always' : 'Halted');
  const checks: readonly (readonly [wrong: boolean, what: string])[] = [
    [strategy === 'Always' && !runs, 'lost'],
    [strategy === 'Halted' && (runs || vmi !== undefined), 'not stopped'],
    [(vmi?.status?.phase === 'Running') !== runs, 'instance told wrong'],
    [runs ? state !== shown : state === 'Running' || state === 'Paused', 'machine told wrong'],
    [!runs && !['Stopped', 'CrashLoopBackOff'].includes(state), 'stuck'],
    [status?.created !== (vmi !== undefined), `created is ${status?.created}`],
    [status?.ready !== holds(vmi?.status, 'Ready'), `ready is ${status?.ready}`],
    [holds(status, 'Ready') !== (status?.ready === true), 'the condition Ready is another'],
    [holds(status, 'Paused') !== (found?.paused === true), 'the condition Paused is another'],
    [status?.desiredGeneration !== vm.metadata.generation, 'the newest spec was not looked at'],
    [(status?.stateChangeRequests ?? []).length > 0, 'a request was left'],
  ];
  return checks.flatMap(([wrong, what]) => (wrong ? [`${what}: ${says}`] : []));
}

/** Checks that an instance has exactly what it needs. */
function faultsOfInstance(vmi: Vmi, { pods, budgets, running }: Scene): string[] {
  const key = keyOf(vmi);
  const { status } = vmi;
  const own = pods.filter(({ metadata }) => metadata.labels?.[CREATED_BY_LABEL] === vmi.metadata.uid);
  const live = own.filter((pod) => !isOver(pod));
  const found = running.get(key);
  const wanted = found === undefined ? 0 : 1;
  const guards = budgets.filter(({ metadata }) => metadata.labels?.[CREATED_BY_LABEL] === vmi.metadata.uid);
  const moved =
    vmi.spec.evictionStrategy === 'LiveMigrate' ||
    (vmi.spec.evictionStrategy === 'LiveMigrateIfPossible' && holds(status, 'LiveMigratable'));
  const times = (status?.phaseTransitionTimestamps ?? []).map(({ phase }) => INSTANCE_PHASES.indexOf(phase ?? ''));
  const interfaces = status?.interfaces ?? [];
  const [pod] = live;
  const checks: readonly (readonly [wrong: boolean, what: string])[] = [
    [live.length !== wanted, `has ${live.length} pods that live`],
    [!isFinal(vmi) && own.length > live.length, 'has pods that have ended'],
    [found !== undefined && found.nodes.join() !== status?.nodeName, `is said to be on ${status?.nodeName}`],
    [pod !== undefined && pod.spec.nodeName !== status?.nodeName, `has its pod on ${pod?.spec.nodeName}`],
    [pod !== undefined && status?.activePods?.[pod.metadata.uid ?? ''] === undefined, 'does not name its pod'],
    [pod !== undefined && interfaces[0]?.ipAddress !== pod.status?.['podIP'], 'has not the address of its pod'],
    [guards.length !== (moved ? wanted : 0), `has ${guards.length} budgets`],
    [guards.some(({ spec }) => spec?.minAvailable !== 1), 'is guarded as if it moved'],
    [times.some((time, at) => time <= (times[at - 1] ?? -1)), 'has had its phases in another order'],
    [holds(status, 'Ready') && found === undefined, 'is ready and does not run'],
    [found !== undefined && pod !== undefined && !isPlaceFor(pod, found), 'is not of the size of its pod'],
    [[...HOT_CHANGES.keys()].some((type) => holds(status, type)), 'waits for another size'],
  ];
  return checks.flatMap(([wrong, what]) => (wrong ? [`instance ${key} (${status?.phase}) ${what}`] : []));
}

function isPlaceFor({ metadata, spec }: Pod, { size }: FoundMachine): boolean {
  const held = parseLauncherSize(metadata.annotations);
  const { cpu = 0, memory = 0 } = spec.containers[0]?.resources?.requests ?? {};
  const bytes = (amount: string | number) => value(parseQuantity(amount));
  const asked = { cpu: milliValue(parseQuantity(cpu)), memory: bytes(memory) };
  return (
    held?.sockets === size.sockets &&
    bytes(held.memory) === size.memoryBytes &&
    asked.cpu === size.sockets * 100 &&
    asked.memory === size.memoryBytes
  );
}

/** Returns objects without an owner, and those that should be finished. */
function leftovers({ vmis, pods, migrations, budgets, running }: Scene): string[] {
  const wrong: string[] = [];
  const uids = new Set(vmis.map(({ metadata }) => metadata.uid));
  for (const each of [...pods, ...budgets]) {
    const owner = each.metadata.ownerReferences?.[0];
    if (owner === undefined || !uids.has(owner.uid)) wrong.push(`${each.kind} ${keyOf(each)} has lost its instance`);
  }
  const finished = new Map<string, number>();
  for (const vmim of migrations) {
    const { phase = 'Pending' } = vmim.status ?? {};
    const instance = `${vmim.metadata.namespace}/${vmim.spec.vmiName}`;
    if (phase === 'Succeeded' || phase === 'Failed') finished.set(instance, (finished.get(instance) ?? 0) + 1);
    else wrong.push(`migration ${keyOf(vmim)} is ${phase}`);
    const owner = vmim.metadata.ownerReferences?.[0]?.uid ?? '';
    // A VM that never had an instance is retained to report that.
    const astray = vmim.status?.migrationState?.failureReason?.endsWith('does not exist') === true && owner === '';
    if (!uids.has(owner) && !astray) wrong.push(`migration ${keyOf(vmim)} is kept without its instance`);
  }
  for (const [instance, count] of finished) {
    if (count > FINISHED_RETAINED) wrong.push(`${count} migrations of ${instance} are kept`);
  }
  for (const key of running.keys()) {
    if (!vmis.some((vmi) => keyOf(vmi) === key)) wrong.push(`${key} runs without an instance`);
  }
  return wrong;
}

/** Checks that addresses are unique, and that an instance has those of its VM. */
function sharedAddresses({ vms, vmis }: Scene): string[] {
  const wrong: string[] = [];
  const holders = new Map<string, string>();
  const hold = (address: string | undefined, key: string) => {
    if (address === undefined) return;
    const other = holders.get(address);
    if (other !== undefined && other !== key) wrong.push(`${key} and ${other} both have ${address}`);
    holders.set(address, key);
  };
  for (const each of [...vms, ...vmis]) {
    for (const { mac, ipAddress } of each.status?.interfaces ?? []) {
      hold(mac, keyOf(each));
      hold(ipAddress, keyOf(each));
    }
  }
  for (const vm of vms) {
    const vmi = vmis.find((each) => keyOf(each) === keyOf(vm));
    for (const { name, mac, ipAddress } of vmi?.status?.interfaces ?? []) {
      const own = vm.status?.interfaces?.find((each) => each.name === name);
      if (own?.mac !== mac || own?.ipAddress !== ipAddress) {
        wrong.push(`${keyOf(vm)} has ${own?.mac} ${own?.ipAddress}, its instance ${mac} ${ipAddress}`);
      }
    }
  }
  return wrong;
}
