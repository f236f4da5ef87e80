import type { Random } from '#platform/base/random';
import type { Command } from './command.ts';
import {
  constantBehavior,
  type LoadBehavior,
  loadBehaviorOf,
  newVm,
  nextReported,
  type PoolVm,
  poolVmOf,
  type Reference,
  sizeOf,
  useOf,
} from './pool-vm.ts';
import { actionsOf, type LoadProfile, type ScenarioAction, type ScenarioSpec, type VmPool } from './scenario-spec.ts';
import type { Task } from './tasks.ts';

interface PoolState {
  readonly pool: VmPool;
  readonly size: ReturnType<typeof sizeOf>;
  /** VMs of the pool, oldest first. */
  readonly members: string[];
  /** Next number. Numbers are never reused, since the earlier VM may still be terminating. */
  next: number;
  /** Load profile of VMs that are yet to be created. */
  profile: LoadProfile | undefined;
  fixed: { readonly cpu?: number; readonly memory?: number };
}

/** Manages the desired VMs of a scenario and their load. */
export class Population {
  readonly #random: Random;
  readonly #profiles: ReadonlyMap<string, LoadProfile>;
  readonly #pools: ReadonlyMap<string, PoolState>;
  readonly #vms = new Map<string, PoolVm>();

  constructor(spec: ScenarioSpec, reference: Reference, random: Random) {
    this.#random = random;
    this.#profiles = new Map((spec.profiles ?? []).map((profile) => [profile.name, profile]));
    const varies = varyingPools(spec);
    this.#pools = new Map(
      (spec.vmPools ?? []).map((pool) => {
        const size = sizeOf(pool, reference, varies(pool));
        const profile = pool.profile === undefined ? undefined : this.#profiles.get(pool.profile);
        return [pool.name, { pool, size, members: [], next: 1, profile, fixed: {} }];
      }),
    );
  }

  get size(): number {
    return this.#vms.size;
  }

  has(vm: string): boolean {
    return this.#vms.has(vm);
  }

  membersOf(pool: string): readonly string[] {
    return this.#pools.get(pool)?.members ?? [];
  }

  /** Creates the initial VMs of all pools. */
  begin(time: number): Command[] {
    return [...this.#pools.values()].flatMap(({ pool }) => this.create(pool.name, pool.count, time));
  }

  create(name: string, count: number, time: number): Command[] {
    const state = this.#pools.get(name);
    if (state === undefined) return [];
    return Array.from({ length: count }, (): Command => {
      const vm = `${name}-${state.next++}`;
      const { cores, bytes } = state.size;
      const machine = poolVmOf({ name: vm, pool: name, cores, bytes }, this.#behavior(state, vm), time);
      this.#vms.set(vm, machine);
      state.members.push(vm);
      return { do: 'create', newVm: newVm(machine, state.size, state.pool) };
    });
  }

  /** Deletes the newest VMs. */
  delete(name: string, count = Number.POSITIVE_INFINITY): Command[] {
    const members = this.#pools.get(name)?.members ?? [];
    const going = members.splice(Math.max(0, members.length - count));
    return going.reverse().map((vm) => this.#remove(vm));
  }

  scale(name: string, count: number, time: number): Command[] {
    const present = this.membersOf(name).length;
    return count >= present ? this.create(name, count - present, time) : this.delete(name, present - count);
  }

  /** Creates a VM that is a task. */
  createTask(name: string, { cores, bytes }: Task, labels: Readonly<Record<string, string>> = {}): Command {
    const resources = { cpu: `${Math.max(0.001, cores)}`, memory: `${Math.max(1024, Math.ceil(bytes / 1024))}Ki` };
    const { resources: written, ...size } = sizeOf({ resources }, { cores: 1, bytes: 1 }, false);
    const vm = poolVmOf({ name, pool: '', cores: size.cores, bytes: size.bytes }, {}, 0);
    this.#vms.set(name, vm);
    return { do: 'create', newVm: newVm(vm, { resources: written, isShare: false }, { labels }) };
  }

  /** Deletes a VM that is a task, if it still exists. */
  deleteTask(vm: string): Command[] {
    return this.#vms.has(vm) ? [this.#remove(vm)] : [];
  }

  /** Changes the task load of a VM. */
  burden(vm: string, cores: number, bytes: number): void {
    const machine = this.#vms.get(vm);
    if (machine === undefined) return;
    machine.taskCores = Math.max(0, machine.taskCores + cores);
    machine.taskBytes = Math.max(0, machine.taskBytes + bytes);
  }

  /** Sets the load of VMs from now on, and reports it at once. */
  setUse({ pool, vm, profile: named, cpu, memory }: ScenarioAction, time: number): Command[] {
    const profile = named === undefined ? undefined : this.#profiles.get(named);
    const fixed = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
    const state = this.#pools.get(pool ?? '');
    if (state !== undefined) {
      state.profile = profile ?? state.profile;
      state.fixed = profile === undefined ? { ...state.fixed, ...fixed } : {};
    }
    return (vm === undefined ? (state?.members ?? []) : [vm]).flatMap((name) => {
      const vm = this.#vms.get(name);
      if (vm === undefined) return [];
      vm.behavior =
        profile === undefined
          ? constantBehavior(vm.behavior, fixed)
          : loadBehaviorOf(profile, this.#random.fork(`${name} ${profile.name}`));
      const use = useOf(vm, time);
      if (use.cpu === vm.reported.cpu && use.memory === vm.reported.memory) return NOTHING;
      vm.reported = use;
      return [{ do: 'load', vm: name, use }];
    });
  }

  /** Returns the load changes to report, where they differ enough from the last report. */
  report(time: number, resolution: number): Command[] {
    const commands: Command[] = [];
    for (const vm of this.#vms.values())
      for (const command of this.#reportOne(vm, time, resolution)) commands.push(command);
    return commands;
  }

  #reportOne(vm: PoolVm, time: number, step: number): Command[] {
    const reported = nextReported(useOf(vm, time), vm.reported, step);
    if (reported === undefined) return NOTHING;
    vm.reported = reported;
    return [{ do: 'load', vm: vm.name, use: reported }];
  }

  #behavior({ profile, fixed }: PoolState, vm: string): LoadBehavior {
    return constantBehavior(loadBehaviorOf(profile, this.#random.fork(vm)), fixed);
  }

  #remove(vm: string): Command {
    this.#vms.delete(vm);
    return { do: 'delete', vm };
  }
}

const NOTHING: Command[] = [];

/** Returns a predicate for pools with VMs whose load may change. */
function varyingPools(spec: ScenarioSpec): (pool: VmPool) => boolean {
  const generators = (spec.taskGenerators ?? []).filter(({ creates }) => creates === 'load');
  const anywhere = generators.some(({ hotSpot }) => hotSpot !== undefined);
  const named = new Set([
    ...generators.map(({ pool }) => pool),
    ...actionsOf(spec)
      .filter(({ action }) => action === 'setUtilization')
      .map(({ pool, vm }) => pool ?? vm?.replace(/-\d+$/, '')),
  ]);
  return ({ name, profile }) => anywhere || profile !== undefined || named.has(name);
}
