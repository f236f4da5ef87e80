import { resourceTypeFor } from '#api/kubevirt/resources';
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
import type { NodeGroup } from '../engine/scenario-spec.ts';
import { collisionOf, formatTaken, namesOf } from './collision.ts';
import { ScaledClock } from './scaled-clock.ts';
import { ScenarioRunner, TICK_MS } from './scenario-runner.ts';
import {
  abandonedStatus,
  failedStatus,
  type ScenarioPhase,
  type ScenarioProgress,
  statusOf,
} from './scenario-status.ts';

export type Scenario = SimulationScenario & KubeObject;
export const SCENARIOS = resourceTypeFor(simulationScenario);

/** Provider of simulated nodes for scenarios that define their own. */
export interface ScenarioNodes {
  /** Sets the size of a node group of a scenario. Throws a RangeError if the names are taken. */
  set(scenario: string, uid: string, group: NodeGroup, count: number): Promise<void>;
  /** Deletes the nodes of a scenario. */
  clear(scenario: string): Promise<void>;
}

export interface ScenarioControllerDeps {
  readonly informers: Informers;
  readonly fleet: Pick<ClusterFleet, 'loads'>;
  readonly nodes: ScenarioNodes;
}

interface RunningScenario {
  readonly uid: string;
  readonly runner: ScenarioRunner;
  readonly scaledClock: ScaledClock;
  migrations: number;
  message: string;
  reportedAt: number;
}

/** Interval at which progress is reported. */
const TELL_MS = 1000;
/** Minimum interval between steps. Nobody sees shorter ones. */
const MIN_INTERVAL_MS = 20;
const NODES_MS = 200;
const RESOLUTION = 0.05;

/** Reconciles SimulationScenarios: runs them on their own cluster, at the speed that they request. */
export function scenarioController(parts: ScenarioControllerDeps): Controller<Scenario> {
  const played = new Map<string, RunningScenario>();
  /** VMs that scenarios have started to create, which may not be visible yet, with their scenario. */
  const claimed = new Map<string, string>();

  /**
   * Ensures that names are free and nodes exist. Returns 'wait' until then, and the taken names if that will never
   * succeed.
   */
  async function prepare(scenario: Scenario, context: Context): Promise<'ready' | 'wait' | { readonly taken: string }> {
    const { spec, metadata } = scenario;
    const { uid, namespace } = metadata;
    const key = keyOf(scenario);
    const names = namesOf(spec);
    const scenarios = context.cache(SCENARIOS);
    const collision = collisionOf(names, {
      uid,
      node: (name) => context.cache(NODES).get(name),
      vm: (name) => context.cache(SIMULATED_VMS).get(keyIn(namespace, name)),
      scenario: (wanted) => {
        const found = [...scenarios.all()].find((each) => each.metadata.uid === wanted);
        return found === undefined ? undefined : keyOf(found);
      },
    });
    if (collision !== undefined) return collision === 'leaving' ? 'wait' : collision;
    const vms = names.vms.map((name) => keyIn(namespace, name));
    const others = vms.filter((vm) => (claimed.get(vm) ?? key) !== key);
    if (others.length > 0) {
      return { taken: formatTaken(others.map((each) => `machine ${each} of the scenario ${claimed.get(each)}`)) };
    }
    for (const vm of vms) claimed.set(vm, key);
    try {
      for (const group of spec.nodes ?? []) await parts.nodes.set(key, uid, group, group.count);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { taken: formatTaken([error.message]) };
    }
    return names.nodes.some((node) => context.cache(NODES).get(node) === undefined) ? 'wait' : 'ready';
  }

  /** Releases all resources of a scenario except its VMs, which it owns. */
  async function release(key: string): Promise<void> {
    played.get(key)?.runner.stop();
    played.delete(key);
    for (const [vm, by] of claimed) if (by === key) claimed.delete(vm);
    await parts.nodes.clear(key);
  }

  function begin(scenario: Scenario, context: Context): RunningScenario {
    const { client, clock, log } = context;
    const { uid, name, namespace } = scenario.metadata;
    const { spec } = scenario;
    const key = keyOf(scenario);
    const groups = new Map((spec.nodes ?? []).map((group) => [group.name, group]));
    const runner = new ScenarioRunner(
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
        hurry: () => current.scaledClock.speed.scale,
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
    const current: RunningScenario = {
      uid,
      runner,
      scaledClock: new ScaledClock(clock.monotonic()),
      migrations: 0,
      message: '',
      reportedAt: Number.NEGATIVE_INFINITY,
    };
    played.set(key, current);
    context.signal.addEventListener('abort', () => runner.stop(), { once: true });
    context.events.event(
      scenario,
      'Normal',
      'Started',
      `${spec.duration} at ${spec.timeScale} simulated seconds a second`,
    );
    return current;
  }

  /** Executes what is due, and returns the resulting phase of the scenario. */
  async function advance(
    scenario: Scenario,
    { runner, scaledClock }: RunningScenario,
    context: Context,
  ): Promise<ScenarioPhase> {
    const { clock, client } = context;
    const { paused, timeScale: scale } = scenario.spec;
    if (scaledClock.speed.paused !== paused || scaledClock.speed.scale !== scale)
      scaledClock.set(clock.monotonic(), { paused, scale });
    const { engine } = runner;
    const time = Math.min(engine.end, scaledClock.at(clock.monotonic()).simulated);
    if (engine.nextAt !== undefined && engine.nextAt <= time) {
      const { pause } = await runner.step(time);
      if (pause) {
        scaledClock.set(clock.monotonic(), { paused: true, scale });
        const { name, namespace } = scenario.metadata;
        await client.patch(SCENARIOS, name, { type: 'merge', body: { spec: { paused: true } } }, { namespace });
        context.events.event(scenario, 'Normal', 'Paused', 'its timeline says so; set spec.paused to false to go on');
        return 'Paused';
      }
    }
    if (time >= engine.end && engine.nextAt === undefined) return 'Completed';
    return paused ? 'Paused' : 'Running';
  }

  function progressOf(
    { runner, scaledClock, migrations, message }: RunningScenario,
    phase: ScenarioPhase,
    { clock }: Context,
  ): ScenarioProgress {
    const { engine, view } = runner;
    const { simulated, real } = scaledClock.at(clock.monotonic());
    const nodes = view.nodes().filter(({ up }) => up).length;
    return {
      now: clock.now(),
      phase,
      simulated: Math.min(engine.end, simulated),
      real,
      counts: { nodes, running: view.running(), pending: view.pending() },
      migrations,
      counters: engine.counters,
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
        await writeStatus(client, SCENARIOS, scenario, abandonedStatus(scenario, clock.now()));
        return undefined;
      }
      const state = present === undefined ? await prepare(scenario, context) : 'ready';
      if (state === 'wait') return { requeueAfterMs: NODES_MS };
      if (state !== 'ready') {
        await release(key);
        await writeStatus(client, SCENARIOS, scenario, failedStatus(scenario, clock.now(), state.taken));
        context.events.event(scenario, 'Warning', 'NamesTaken', state.taken);
        return undefined;
      }
      const current = present ?? begin(scenario, context);
      const next = await advance(scenario, current, context);
      const now = clock.monotonic();
      if (next !== phase || now - current.reportedAt >= TELL_MS) {
        current.reportedAt = now;
        await writeStatus(client, SCENARIOS, scenario, statusOf(scenario, progressOf(current, next, context)));
      }
      if (next === 'Completed') {
        current.runner.stop();
        context.events.event(scenario, 'Normal', 'Completed', `${scenario.spec.duration} were simulated`);
        return undefined;
      }
      if (next === 'Paused') return undefined;
      const { engine } = current.runner;
      const due = current.scaledClock.until(engine.nextAt ?? engine.end, now);
      return { requeueAfterMs: Math.min(TELL_MS, Math.max(MIN_INTERVAL_MS, due)) };
    },
    forget(key, { log }) {
      void release(key).catch((error: unknown) =>
        log.warn({ scenario: key, err: error }, 'the nodes of a scenario could not be taken away'),
      );
    },
  };
}
