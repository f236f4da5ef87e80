import { parseDuration } from '#platform/base/duration';
import type { Random } from '#platform/base/random';
import type { Command } from './command.ts';
import { hotNodes } from './hot-nodes.ts';
import type { Population } from './population.ts';
import type { ScenarioSpec, TaskGenerator } from './scenario-spec.ts';
import type { ScenarioView } from './scenario-view.ts';
import { type Task, TaskSource } from './tasks.ts';

interface Active {
  readonly endsAt: number;
  readonly vm: string;
  /** Load of the task. Absent if the task is a VM of its own. */
  readonly load?: Pick<Task, 'cores' | 'bytes'>;
}

interface Source {
  readonly tasks: TaskSource;
  active: Active[];
}

/** Manages random tasks and the VMs that they load. */
export class TaskLoad {
  readonly #spec: ScenarioSpec;
  readonly #random: Random;
  readonly #sources: readonly Source[];
  #dropped = 0;

  constructor(spec: ScenarioSpec, random: Random) {
    this.#spec = spec;
    this.#random = random.fork('whom tasks burden');
    const end = parseDuration(spec.duration);
    this.#sources = (spec.taskGenerators ?? []).map((generator) => ({
      tasks: new TaskSource(generator, random.fork(`tasks of ${generator.name}`), end),
      active: [],
    }));
  }

  get counters(): { readonly generated: number; readonly dropped: number; readonly active: number } {
    let [generated, active] = [0, 0];
    for (const source of this.#sources) {
      generated += source.tasks.count;
      active += source.active.length;
    }
    return { generated, dropped: this.#dropped, active };
  }

  /** Ends and starts the tasks that are due by a time. */
  pass(time: number, seen: ScenarioView, population: Population): Command[] {
    return this.#sources.flatMap((source) => {
      const commands = this.#end(source, time, population);
      for (const task of source.tasks.take(time)) commands.push(...this.#begin(source, task, time, seen, population));
      return commands;
    });
  }

  #end(source: Source, time: number, population: Population): Command[] {
    const over = source.active.filter(({ endsAt }) => endsAt <= time);
    if (over.length === 0) return [];
    source.active = source.active.filter(({ endsAt }) => endsAt > time);
    return over.flatMap(({ vm, load }) => {
      if (load === undefined) return population.deleteTask(vm);
      population.burden(vm, -load.cores, -load.bytes);
      return [];
    });
  }

  #begin(source: Source, task: Task, time: number, seen: ScenarioView, population: Population): Command[] {
    // The task started and ended between two steps.
    if (task.endsAt <= time) return [];
    const { generator } = source.tasks;
    const { name, maxConcurrent = Number.POSITIVE_INFINITY } = generator;
    const vm =
      source.active.length >= maxConcurrent
        ? undefined
        : generator.creates === 'vm'
          ? `${name}-${task.number}`
          : this.#victim(generator, seen, population);
    if (vm === undefined) {
      this.#dropped++;
      return [];
    }
    const { endsAt, cores, bytes } = task;
    if (generator.creates === 'vm') {
      source.active.push({ endsAt, vm });
      return [population.createTask(vm, task, generator.labels)];
    }
    source.active.push({ endsAt, vm, load: { cores, bytes } });
    population.burden(vm, cores, bytes);
    return [];
  }

  /** Returns the VM that a task loads, or undefined if there is none. */
  #victim({ pool, hotSpot }: TaskGenerator, seen: ScenarioView, population: Population): string | undefined {
    const vms =
      pool !== undefined
        ? population.membersOf(pool)
        : hotNodes(this.#spec, hotSpot, seen)
            .flatMap((node) => seen.vmsOn(node))
            .filter((vm) => population.has(vm));
    return vms.length === 0 ? undefined : this.#random.pick(vms);
  }
}
