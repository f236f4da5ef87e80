import { resourceOfKind } from '#api/kubevirt/resources';
import { type SimulationScenario, simulationScenario } from '#api/simulation/simulation-scenario';
import type { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { seededRandom } from '#platform/base/random';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context, Controller } from '#platform/runtime/controller';
import type { Informers } from '#platform/runtime/informers';
import { keyIn, keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import type { NodeGroup } from '../course/scenario-spec.ts';
import { broughtBy, collisionOf, takenText } from './collision.ts';
import { Pace } from './pace.ts';
import { abandoned, failed, type Progress, type ScenarioPhase, statusOf } from './scenario-status.ts';
import { Stage, TICK_MS } from './stage.ts';

export type Scenario = SimulationScenario & KubeObject;
export const SCENARIOS = resourceOfKind(simulationScenario);

/** Who has simulated nodes to give to scenarios that bring their own. */
export interface ScenarioNodes {
  /** A scenario has a group of so many nodes from now on. Throws a RangeError where others have their names. */
  set(scenario: string, uid: string, group: NodeGroup, count: number): Promise<void>;
  /** The nodes of a scenario go. */
  clear(scenario: string): Promise<void>;
}

export interface ScenarioControllerParts {
  readonly informers: Informers;
  readonly fleet: Pick<ClusterFleet, 'loads'>;
  readonly nodes: ScenarioNodes;
}

interface Played {
  readonly uid: string;
  readonly stage: Stage;
  readonly pace: Pace;
  migrations: number;
  message: string;
  toldAt: number;
}

/** How often people are told how far it is. */
const TELL_MS = 1000;
/** Nobody sees steps that are nearer to each other than this. */
const SHORTEST_MS = 20;
const NODES_MS = 200;
const RESOLUTION = 0.05;

/** Plays SimulationScenarios on the cluster that they are in, in the time that they ask for. */
export function scenarioController(parts: ScenarioControllerParts): Controller<Scenario> {
  const played = new Map<string, Played>();
  /** Machines that scenarios have begun to bring, which need not be seen yet, and by whom. */
  const claimed = new Map<string, string>();

  /** Sees to it that names are free and nodes there: 'wait' until then; a text where that will never be. */
  async function prepare(scenario: Scenario, context: Context): Promise<'ready' | 'wait' | { readonly taken: string }> {
    const { spec, metadata } = scenario;
    const { uid, namespace } = metadata;
    const key = keyOf(scenario);
    const names = broughtBy(spec);
    const scenarios = context.cache(SCENARIOS);
    const collision = collisionOf(names, {
      uid,
      node: (name) => context.cache(NODES).get(name),
      machine: (name) => context.cache(SIMULATED_VMS).get(keyIn(namespace, name)),
      scenario: (wanted) => {
        const found = [...scenarios.all()].find((each) => each.metadata.uid === wanted);
        return found === undefined ? undefined : keyOf(found);
      },
    });
    if (collision !== undefined) return collision === 'leaving' ? 'wait' : collision;
    const machines = names.machines.map((name) => keyIn(namespace, name));
    const others = machines.filter((machine) => (claimed.get(machine) ?? key) !== key);
    if (others.length > 0) {
      return { taken: takenText(others.map((each) => `machine ${each} of the scenario ${claimed.get(each)}`)) };
    }
    for (const machine of machines) claimed.set(machine, key);
    try {
      for (const group of spec.nodes ?? []) await parts.nodes.set(key, uid, group, group.count);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { taken: takenText([error.message]) };
    }
    return names.nodes.some((node) => context.cache(NODES).get(node) === undefined) ? 'wait' : 'ready';
  }

  /** Everything of a scenario goes but its machines, which it owns. */
  async function release(key: string): Promise<void> {
    played.get(key)?.stage.stop();
    played.delete(key);
    for (const [machine, by] of claimed) if (by === key) claimed.delete(machine);
    await parts.nodes.clear(key);
  }

  function begin(scenario: Scenario, context: Context): Played {
    const { client, clock, log } = context;
    const { uid, name, namespace } = scenario.metadata;
    const { spec } = scenario;
    const key = keyOf(scenario);
    const groups = new Map((spec.nodes ?? []).map((group) => [group.name, group]));
    const stage = new Stage(
      spec,
      {
        client,
        informers: parts.informers,
        fleet: parts.fleet,
        clock,
        random: seededRandom(`${spec.seed}`).fork('scenario'),
        namespace,
        scenario: name,
        owner: {
          apiVersion: simulationScenario.apiVersion,
          kind: simulationScenario.kind,
          name,
          uid,
          controller: false,
        },
        hurry: () => current.pace.speed.scale,
        groups: {
          grow: async (group, total) => {
            const known = groups.get(group);
            if (known !== undefined) await parts.nodes.set(key, uid, known, total);
          },
        },
        onMoved: ({ error }) => {
          if (error === '') current.migrations++;
        },
        onFailure: (what, error) => {
          current.message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
          log.warn({ scenario: key, what, err: error }, 'a scenario could not do what it says');
        },
      },
      { tickMs: TICK_MS, resolution: RESOLUTION },
    );
    const current: Played = {
      uid,
      stage,
      pace: new Pace(clock.monotonic()),
      migrations: 0,
      message: '',
      toldAt: Number.NEGATIVE_INFINITY,
    };
    played.set(key, current);
    context.signal.addEventListener('abort', () => stage.stop(), { once: true });
    context.events.event(
      scenario,
      'Normal',
      'Started',
      `${spec.duration} at ${spec.timeScale} simulated seconds a second`,
    );
    return current;
  }

  /** Does what is due; says in which phase that leaves the scenario. */
  async function advance(scenario: Scenario, { stage, pace }: Played, context: Context): Promise<ScenarioPhase> {
    const { clock, client } = context;
    const { paused, timeScale: scale } = scenario.spec;
    if (pace.speed.paused !== paused || pace.speed.scale !== scale) pace.set(clock.monotonic(), { paused, scale });
    const { course } = stage;
    const time = Math.min(course.end, pace.at(clock.monotonic()).simulated);
    if (course.nextAt !== undefined && course.nextAt <= time) {
      const { pause } = await stage.step(time);
      if (pause) {
        pace.set(clock.monotonic(), { paused: true, scale });
        const { name, namespace } = scenario.metadata;
        await client.patch(SCENARIOS, name, { type: 'merge', body: { spec: { paused: true } } }, { namespace });
        context.events.event(scenario, 'Normal', 'Paused', 'its timeline says so; set spec.paused to false to go on');
        return 'Paused';
      }
    }
    if (time >= course.end && course.nextAt === undefined) return 'Completed';
    return paused ? 'Paused' : 'Running';
  }

  function progressOf(
    { stage, pace, migrations, message }: Played,
    phase: ScenarioPhase,
    { clock }: Context,
  ): Progress {
    const { course, view } = stage;
    const { simulated, real } = pace.at(clock.monotonic());
    const nodes = view.nodes().filter(({ up }) => up).length;
    return {
      now: clock.now(),
      phase,
      simulated: Math.min(course.end, simulated),
      real,
      counts: { nodes, running: view.running(), pending: view.pending() },
      migrations,
      tally: course.tally,
      message,
    };
  }

  return {
    name: 'simulation scenario',
    for: SCENARIOS,
    reads: [SIMULATED_VMS, PODS, NODES],
    async reconcile(scenario, context) {
      const { phase = 'Pending' } = scenario.status ?? {};
      if (phase === 'Completed' || phase === 'Failed') return undefined;
      const { clock, client } = context;
      const key = keyOf(scenario);
      const known = played.get(key);
      if (known !== undefined && known.uid !== scenario.metadata.uid) await release(key);
      const present = known?.uid === scenario.metadata.uid ? known : undefined;
      if (present === undefined && phase !== 'Pending') {
        await writeStatus(client, SCENARIOS, scenario, abandoned(scenario, clock.now()));
        return undefined;
      }
      const state = present === undefined ? await prepare(scenario, context) : 'ready';
      if (state === 'wait') return { requeueAfterMs: NODES_MS };
      if (state !== 'ready') {
        await release(key);
        await writeStatus(client, SCENARIOS, scenario, failed(scenario, clock.now(), state.taken));
        context.events.event(scenario, 'Warning', 'NamesTaken', state.taken);
        return undefined;
      }
      const current = present ?? begin(scenario, context);
      const next = await advance(scenario, current, context);
      const now = clock.monotonic();
      if (next !== phase || now - current.toldAt >= TELL_MS) {
        current.toldAt = now;
        await writeStatus(client, SCENARIOS, scenario, statusOf(scenario, progressOf(current, next, context)));
      }
      if (next === 'Completed') {
        current.stage.stop();
        context.events.event(scenario, 'Normal', 'Completed', `${scenario.spec.duration} were simulated`);
        return undefined;
      }
      if (next === 'Paused') return undefined;
      const { course } = current.stage;
      const due = current.pace.until(course.nextAt ?? course.end, now);
      return { requeueAfterMs: Math.min(TELL_MS, Math.max(SHORTEST_MS, due)) };
    },
    forget(key, { log }) {
      void release(key).catch((error: unknown) =>
        log.warn({ scenario: key, err: error }, 'the nodes of a scenario could not be taken away'),
      );
    },
  };
}
