import { parseDuration } from '#platform/base/duration';
import type { Random } from '#platform/base/random';
import type { AppliedEvent, Command } from './command.ts';
import { ConditionalTrigger } from './conditional-trigger.ts';
import { hotNodes } from './hot-nodes.ts';
import type { Reference } from './pool-vm.ts';
import { Population } from './population.ts';
import type { ScenarioAction, ScenarioSpec, TimelineEvent } from './scenario-spec.ts';
import { isAmong, type ScenarioView } from './scenario-view.ts';
import { TaskLoad } from './task-load.ts';

export interface ScenarioEngineOptions {
  readonly random: Random;
  /** Node size that fractional sizes refer to. */
  readonly reference: Reference;
  /** Interval at which VMs, tasks and conditions are evaluated, in simulated time. */
  readonly tickMs: number;
  /** Steps in which drifting load is reported, as a ratio of a VM's size. */
  readonly resolution: number;
  /** Duration, if it is shorter than that of the scenario. */
  readonly untilMs?: number;
}

export interface EngineStep {
  readonly commands: readonly Command[];
  readonly events: readonly AppliedEvent[];
}

/** Counters of a scenario so far, as in its status. */
export interface ScenarioCounters {
  readonly vms: number;
  readonly appliedEvents: number;
  readonly totalTasksGenerated: number;
  readonly droppedTasks: number;
  readonly activeTasks: number;
  readonly conditionalEvents: readonly { readonly name: string; readonly times: number; readonly last?: number }[];
}

interface Timed extends TimelineEvent {
  readonly time: number;
  readonly number: number;
}

/**
 * Decides what happens in a scenario, and when, without side effects: it gets the simulated time and a view of the
 * cluster, and returns commands. The same scenario, random source and views give the same commands, at any speed.
 */
export class ScenarioEngine {
  readonly end: number;
  readonly #spec: ScenarioSpec;
  readonly #options: ScenarioEngineOptions;
  readonly #random: Random;
  readonly #population: Population;
  readonly #work: TaskLoad;
  readonly #conditions: readonly ConditionalTrigger[];
  readonly #timeline: readonly Timed[];
  readonly #groups: Map<string, number>;
  #applied = 0;
  #tick = 0;
  #begun = false;

  constructor(spec: ScenarioSpec, options: ScenarioEngineOptions) {
    this.#spec = spec;
    this.#options = options;
    const { random, reference, untilMs = Number.POSITIVE_INFINITY } = options;
    this.#random = random.fork('choices of events');
    this.end = Math.min(parseDuration(spec.duration), untilMs);
    this.#population = new Population(spec, reference, random.fork('machines'));
    this.#work = new TaskLoad(spec, random);
    this.#conditions = (spec.conditionalEvents ?? []).map((event) => new ConditionalTrigger(event));
    this.#groups = new Map((spec.nodes ?? []).map(({ name, count }) => [name, count]));
    this.#timeline = (spec.timeline ?? [])
      .map((event, at) => ({ ...event, time: parseDuration(event.at), number: at + 1 }))
      .sort((a, b) => a.time - b.time || a.number - b.number);
  }

  /** Returns the time of the next step, or undefined when the scenario is finished. */
  get nextAt(): number | undefined {
    if (!this.#begun) return 0;
    const event = this.#timeline[this.#applied]?.time ?? Number.POSITIVE_INFINITY;
    const next = Math.min(event, (this.#tick + 1) * this.#options.tickMs);
    return next > this.end ? undefined : next;
  }

  get counters(): ScenarioCounters {
    const { generated, dropped, active } = this.#work.counters;
    return {
      vms: this.#population.size,
      appliedEvents: this.#applied,
      totalTasksGenerated: generated,
      droppedTasks: dropped,
      activeTasks: active,
      conditionalEvents: this.#conditions.map(({ event, past: { times, last } }) => ({
        name: event.name,
        times,
        ...(last === undefined ? {} : { last }),
      })),
    };
  }

  /** Returns the commands for a time at or after `nextAt`. Whatever was due before is done now. */
  step(time: number, seen: ScenarioView): EngineStep {
    let commands: readonly Command[] = [];
    // The commands are not spread as arguments, since there may be more VMs than a call can have arguments.
    const add = (more: readonly Command[]): void =>
      void (commands = commands.length === 0 ? more : more.length === 0 ? commands : [...commands, ...more]);
    const events: AppliedEvent[] = [];
    if (!this.#begun) {
      this.#begun = true;
      add(this.#population.begin(time));
    }
    for (let next = this.#timeline[this.#applied]; next !== undefined && next.time <= time; ) {
      this.#applied++;
      const done = this.#act(next, time, seen);
      add(done);
      events.push(appliedEvent(time, 'timeline', `${next.number}`, next, done));
      next = this.#timeline[this.#applied];
    }
    const tick = Math.floor(time / this.#options.tickMs);
    if (tick > this.#tick) {
      this.#tick = tick;
      add(this.#work.pass(time, seen, this.#population));
      for (const condition of this.#conditions) {
        const node = condition.look(time, seen);
        if (node === undefined) continue;
        for (const action of condition.event.actions) {
          const done = this.#act(action, time, seen, node);
          add(done);
          events.push(appliedEvent(time, 'conditional', condition.event.name, action, done));
        }
      }
      add(this.#population.report(time, this.#options.resolution));
    }
    return { commands, events };
  }

  /** Applies an action. `node` is the one that a condition was about, or '' for the cluster. */
  #act(action: ScenarioAction, time: number, seen: ScenarioView, node = ''): Command[] {
    const { pool = '', count, nodeGroup = '' } = action;
    switch (action.action) {
      case 'create':
        return this.#population.create(pool, count ?? 0, time);
      case 'delete':
        return this.#population.delete(pool, count);
      case 'scale':
        return this.#population.scale(pool, count ?? 0, time);
      case 'setUtilization':
        return this.#population.setUse(action, time);
      case 'addNodes': {
        const total = (this.#groups.get(nodeGroup) ?? 0) + (count ?? 0);
        this.#groups.set(nodeGroup, total);
        return [{ do: 'addNodes', group: nodeGroup, total }];
      }
      case 'removeNodes':
      case 'failNodes':
      case 'recoverNodes':
        return this.#onNodes(action.action, action, seen);
      case 'migrate':
        return this.#migrate(action, seen, node);
      case 'pause':
        return [{ do: 'pause' }];
    }
  }

  #onNodes(
    what: 'removeNodes' | 'failNodes' | 'recoverNodes',
    { nodes, hotSpot }: ScenarioAction,
    seen: ScenarioView,
  ): Command[] {
    const names =
      nodes === undefined
        ? hotNodes(this.#spec, hotSpot, seen)
        : seen
            .nodes()
            .map(({ name }) => name)
            .filter((name) => isAmong(name, nodes));
    return names.length === 0 ? [] : [{ do: what, nodes: names }];
  }

  /** Migrates VMs that have a node. If a condition was about a node, only VMs of that node are migrated. */
  #migrate(
    { pool, vm, count = Number.POSITIVE_INFINITY, targetNode }: ScenarioAction,
    seen: ScenarioView,
    node: string,
  ): Command[] {
    const desired = vm === undefined ? this.#population.membersOf(pool ?? '') : [vm];
    const able = desired.filter((name) => {
      const home = seen.nodeOf(name);
      return home !== undefined && home !== targetNode && (node === '' || home === node);
    });
    const chosen = able.length <= count ? able : this.#random.shuffle(able).slice(0, count);
    const target = targetNode === undefined ? {} : { target: targetNode };
    return chosen.map((name) => ({ do: 'migrate', vm: name, ...target }));
  }
}

function appliedEvent(
  at: number,
  cause: AppliedEvent['cause'],
  name: string,
  { action, pool, vm, nodeGroup, hotSpot }: ScenarioAction,
  commands: readonly Command[],
): AppliedEvent {
  const about = vm ?? pool ?? nodeGroup ?? hotSpot ?? '';
  const nodes = commands.flatMap((command) => ('nodes' in command ? command.nodes : []));
  const what = [about, nodes.length > 0 ? nodes.join(' ') : commands.length > 1 ? `${commands.length} VMs` : '']
    .filter((word) => word !== '')
    .join(': ');
  return { at, cause, name, action, what };
}
