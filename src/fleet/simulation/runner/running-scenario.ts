import { simulationScenario } from '#api/simulation/simulation-scenario';
import type { Clock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { NodeGroups } from './command-executor.ts';
import { ScaledClock } from './scaled-clock.ts';
import { SCENARIOS, type ScenarioControllerDeps, type ScenarioNodes, type ScenarioObject } from './scenario.ts';
import { ScenarioRunner, type ScenarioRunnerDeps, TICK_MS } from './scenario-runner.ts';
import type { ScenarioPhase, ScenarioProgress } from './scenario-status.ts';

const RESOLUTION = 0.05;

/** Scenario that runs in this process, with everything that the controller remembers of it. */
export class RunningScenario {
  readonly uid: string;
  /** Monotonic time at which progress was last reported. */
  reportedAt = Number.NEGATIVE_INFINITY;
  readonly #runner: ScenarioRunner;
  readonly #scaledClock: ScaledClock;
  #migrations = 0;
  #message = '';

  constructor(scenario: ScenarioObject, deps: ScenarioControllerDeps, context: Context) {
    this.uid = scenario.metadata.uid;
    this.#scaledClock = new ScaledClock(context.clock.monotonic());
    const options = { tickMs: TICK_MS, resolution: RESOLUTION };
    this.#runner = new ScenarioRunner(scenario.spec, this.#runnerDeps(scenario, deps, context), options);
  }

  stop(): void {
    this.#runner.stop();
  }

  /** Executes what is due, and returns the resulting phase of the scenario. */
  async advance(scenario: ScenarioObject, context: Context): Promise<ScenarioPhase> {
    const { clock } = context;
    const { paused, timeScale: scale } = scenario.spec;
    const { speed } = this.#scaledClock;
    if (speed.paused !== paused || speed.scale !== scale) this.#scaledClock.set(clock.monotonic(), { paused, scale });
    const { engine } = this.#runner;
    const time = Math.min(engine.end, this.#scaledClock.at(clock.monotonic()).simulated);
    if (engine.nextAt !== undefined && engine.nextAt <= time) {
      const { pause } = await this.#runner.step(time);
      if (pause) {
        this.#scaledClock.set(clock.monotonic(), { paused: true, scale });
        await pauseScenario(scenario, context);
        return 'Paused';
      }
    }
    if (time >= engine.end && engine.nextAt === undefined) return 'Completed';
    return paused ? 'Paused' : 'Running';
  }

  progress(phase: ScenarioPhase, clock: Clock): ScenarioProgress {
    const { engine, view } = this.#runner;
    const { simulated, real } = this.#scaledClock.at(clock.monotonic());
    const nodes = view.nodes().filter(({ up }) => up).length;
    return {
      now: clock.now(),
      phase,
      simulated: Math.min(engine.end, simulated),
      real,
      counts: { nodes, running: view.running(), pending: view.pending() },
      migrations: this.#migrations,
      counters: engine.counters,
      message: this.#message,
    };
  }

  /** Returns the real time until the next step. `now` is monotonic. */
  nextIn(now: number): number {
    const { engine } = this.#runner;
    return this.#scaledClock.until(engine.nextAt ?? engine.end, now);
  }

  #runnerDeps(scenario: ScenarioObject, { informers, fleet, nodes }: ScenarioControllerDeps, context: Context) {
    const { client, clock, log } = context;
    const { name, namespace } = scenario.metadata;
    const deps: ScenarioRunnerDeps = {
      client,
      informers,
      fleet,
      clock,
      random: seededRandom(`${scenario.spec.seed}`).fork('scenario'),
      namespace,
      scenario: name,
      owner: ownerReference(scenario),
      hurry: () => this.#scaledClock.speed.scale,
      groups: nodeGroups(scenario, nodes),
      onMoved: ({ error }) => {
        if (error === '') this.#migrations++;
      },
      onFailure: (what, error) => {
        this.#message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
        log.warn({ scenario: keyOf(scenario), what, err: error }, 'a command of a scenario failed');
      },
    };
    return deps;
  }
}

function ownerReference({ metadata: { name, uid } }: ScenarioObject): KubeOwnerReference {
  const { apiVersion, kind } = simulationScenario;
  return { apiVersion, kind, name, uid, controller: false };
}

function nodeGroups(scenario: ScenarioObject, nodes: ScenarioNodes): NodeGroups {
  const groups = new Map((scenario.spec.nodes ?? []).map((group) => [group.name, group]));
  return {
    async grow(group, total) {
      const known = groups.get(group);
      if (known !== undefined) await nodes.set(keyOf(scenario), scenario.metadata.uid, known, total);
    },
  };
}

/** Pauses a scenario because its timeline says so. */
async function pauseScenario(scenario: ScenarioObject, { client, events }: Context): Promise<void> {
  const { name, namespace } = scenario.metadata;
  await client.patch(SCENARIOS, name, { type: 'merge', body: { spec: { paused: true } } }, { namespace });
  events.event(scenario, 'Normal', 'Paused', 'Paused by the timeline; set spec.paused to false to continue');
}
