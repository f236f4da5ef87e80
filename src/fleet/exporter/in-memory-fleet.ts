import { DEFAULT_NODE } from '#api/launcher-load';
import { isRatioSize, type Vm } from '#fleet/library/simulated-vm';
import type { Clock } from '#platform/base/clock';
import {
  type ExportedVm,
  type FleetBackend,
  type FleetSpec,
  type MoveResult,
  RejectedError,
  type SuggestedMove,
} from './fleet-backend.ts';
import { amountsOf, ratioOf, shareOf } from './launcher-usage.ts';
import { measureLoad, NOTHING_SPENT, type NodeLoad, type SpentTime, spentAfter } from './node-load.ts';

const REFERENCE = amountsOf(DEFAULT_NODE);

interface InMemoryVm {
  readonly id: string;
  /** Usage as shares of the reference node. */
  readonly cpu: number;
  readonly memory: number;
}

interface InMemoryNode {
  readonly name: string;
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly vms: Map<string, InMemoryVm>;
  spent: SpentTime;
  at: number;
}

/** Fleet without a cluster. VMs are where the scenario has them, and move as suggested. */
export class InMemoryFleet implements FleetBackend {
  readonly managed = false;
  readonly ready = false;
  readonly #clock: Clock;
  #nodes = new Map<string, InMemoryNode>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  loads(): readonly NodeLoad[] {
    return [...this.#nodes.values()].map((node) => this.#load(node));
  }

  load(name: string): NodeLoad | undefined {
    const node = this.#nodes.get(name);
    return node === undefined ? undefined : this.#load(node);
  }

  vmsOn(name: string): readonly ExportedVm[] {
    return [...(this.#nodes.get(name)?.vms.values() ?? [])].map(({ id, cpu, memory }) => ({
      id,
      cpu_consumption: ratioOf(cpu),
      memory_consumption: ratioOf(memory),
      pod_name: '',
      scheduled_node: name,
    }));
  }

  has(): boolean {
    return false;
  }

  replace({ nodes, causes = [] }: FleetSpec): Promise<{ nodes: number; vms: number; unplaced: [] }> {
    if (causes.length > 0) return Promise.reject(new RejectedError(causes));
    const at = this.#clock.monotonic();
    let vms = 0;
    this.#nodes = new Map(
      nodes.map(({ name, cpuCores, memoryBytes, vms: desired }) => {
        vms += desired.length;
        const on = new Map(desired.map(({ vm }) => [vm.id, inMemoryVm(vm)]));
        return [name, { name, cpuCores, memoryBytes, vms: on, spent: NOTHING_SPENT, at }];
      }),
    );
    return Promise.resolve({ nodes: nodes.length, vms, unplaced: [] });
  }

  move(moves: readonly SuggestedMove[]): Promise<readonly MoveResult[]> {
    return Promise.resolve(moves.map((move) => this.#move(move)));
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  #move(move: SuggestedMove): MoveResult {
    const from = this.#nodes.get(move.from_node);
    const vm = from?.vms.get(move.vm_id);
    const rejected = (error: string): MoveResult => {
      const home = [...this.#nodes.values()].find(({ vms }) => vms.has(move.vm_id));
      return { ...move, actual_node: home?.name ?? '', success: false, as_suggested: false, error };
    };
    if (from === undefined) return rejected(`node ${move.from_node} not found`);
    const named = move.to_node === null ? undefined : this.#nodes.get(move.to_node);
    if (named === undefined && move.to_node !== null) return rejected(`node ${move.to_node} not found`);
    if (vm === undefined) return rejected(`${move.vm_id} is not on node ${move.from_node}`);
    const to = named ?? this.#idlest(from, vm);
    if (to === undefined) return rejected(`no other node has enough memory for ${move.vm_id}`);
    if (!hasRoom(to, vm)) return rejected(`node ${to.name} does not have enough memory for ${move.vm_id}`);
    for (const node of [from, to]) this.#load(node);
    from.vms.delete(vm.id);
    to.vms.set(vm.id, vm);
    return { ...move, actual_node: to.name, success: true, as_suggested: true, error: null };
  }

  /** Returns the node with the lowest CPU usage that has the memory for a VM. */
  #idlest(from: InMemoryNode, vm: InMemoryVm): InMemoryNode | undefined {
    const others = [...this.#nodes.values()].filter((node) => node !== from && hasRoom(node, vm));
    return others
      .map((node) => ({ node, used: usedOn(node).cpu }))
      .reduce<{ node: InMemoryNode; used: number } | undefined>(
        (best, each) => (best === undefined || each.used < best.used ? each : best),
        undefined,
      )?.node;
  }

  #load(node: InMemoryNode): NodeLoad {
    const { name, cpuCores, memoryBytes, vms } = node;
    const used = usedOn(node);
    const measures = measureLoad(used.cpu, used.memory);
    const now = this.#clock.monotonic();
    node.spent = spentAfter(node.spent, (now - node.at) / 1000, cpuCores, measures);
    node.at = now;
    const state = { name, roles: ['worker'], cpuCores, memoryBytes, ...measures, vms: vms.size };
    return { ...state, state, spent: node.spent };
  }
}

const hasRoom = (node: InMemoryNode, vm: InMemoryVm) => usedOn(node, vm).memory <= 1;

/** Returns the usage of a node by its VMs, and by one more, as ratios of the node. */
function usedOn({ vms, cpuCores, memoryBytes }: InMemoryNode, more?: InMemoryVm) {
  let [cpu, memory] = [more?.cpu ?? 0, more?.memory ?? 0];
  for (const vm of vms.values()) {
    cpu += vm.cpu;
    memory += vm.memory;
  }
  return {
    cpu: cpuCores > 0 ? ratioOf(cpu) * (REFERENCE.cores / cpuCores) : 0,
    memory: memoryBytes > 0 ? ratioOf(memory) * (REFERENCE.bytes / memoryBytes) : 0,
  };
}

function inMemoryVm(vm: Vm): InMemoryVm {
  if (isRatioSize(vm)) return { id: vm.id, cpu: shareOf(vm.cpuConsumption), memory: shareOf(vm.memoryConsumption) };
  const { id, cpuCores, memoryBytes, cpuUtilization = 1, memoryUtilization = 1 } = vm;
  return {
    id,
    cpu: shareOf((cpuCores * cpuUtilization) / REFERENCE.cores),
    memory: shareOf((memoryBytes * memoryUtilization) / REFERENCE.bytes),
  };
}
