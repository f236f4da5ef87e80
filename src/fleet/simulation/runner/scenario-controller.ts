import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import type { Context, Controller } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { prepareScenario } from './prepare-scenario.ts';
import { RunningScenario } from './running-scenario.ts';
import { SCENARIOS, type ScenarioControllerDeps, type ScenarioObject } from './scenario.ts';
import { abandonedStatus, failedStatus, type ScenarioPhase, scenarioStatus } from './scenario-status.ts';
import { VmNameClaims } from './vm-name-claims.ts';

/** Interval at which progress is reported. */
const STATUS_INTERVAL_MS = 1000;
/** Minimum interval between steps. Nobody sees shorter ones. */
const MIN_INTERVAL_MS = 20;
const NODES_MS = 200;

/** Reconciles SimulationScenarios: runs them on their own cluster, at the speed that they request. */
export function scenarioController(deps: ScenarioControllerDeps): Controller<ScenarioObject> {
  const scenarios = new RunningScenarios(deps);
  return {
    name: 'simulation scenario',
    for: SCENARIOS,
    reads: [SIMULATED_VMS, PODS, NODES],
    async reconcile(scenario, context) {
      const { phase = 'Pending' } = scenario.status ?? {};
      if (phase === 'Completed' || phase === 'Failed') return undefined;
      const known = await scenarios.find(scenario);
      if (known !== undefined) return await step(known, scenario, phase, context);
      if (phase !== 'Pending') {
        const status = abandonedStatus(scenario, context.clock.now());
        await writeStatus(context.client, SCENARIOS, scenario, status);
        return undefined;
      }
      const started = await scenarios.start(scenario, context);
      if (started === 'wait') return { requeueAfterMs: NODES_MS };
      return started === 'failed' ? undefined : await step(started, scenario, phase, context);
    },
    forget(key, { log }) {
      void scenarios
        .release(key)
        .catch((error: unknown) => log.warn({ scenario: key, err: error }, 'failed to delete the nodes of a scenario'));
    },
  };
}

class RunningScenarios {
  readonly #deps: ScenarioControllerDeps;
  readonly #byKey = new Map<string, RunningScenario>();
  readonly #claims = new VmNameClaims();

  constructor(deps: ScenarioControllerDeps) {
    this.#deps = deps;
  }

  /** Returns a scenario that runs here. A deleted one that had its name is released. */
  async find(scenario: ScenarioObject): Promise<RunningScenario | undefined> {
    const key = keyOf(scenario);
    const known = this.#byKey.get(key);
    if (known?.uid === scenario.metadata.uid) return known;
    if (known !== undefined) await this.release(key);
    return undefined;
  }

  /** Starts a scenario once its names are free and its nodes exist. Reports if that will never be so. */
  async start(scenario: ScenarioObject, context: Context): Promise<RunningScenario | 'wait' | 'failed'> {
    const key = keyOf(scenario);
    const state = await prepareScenario(scenario, this.#deps.nodes, this.#claims, context);
    if (state === 'wait') return 'wait';
    if (state !== 'ready') {
      await this.release(key);
      const status = failedStatus(scenario, context.clock.now(), state.taken);
      await writeStatus(context.client, SCENARIOS, scenario, status);
      context.events.event(scenario, 'Warning', 'NamesTaken', state.taken);
      return 'failed';
    }
    const started = new RunningScenario(scenario, this.#deps, context);
    this.#byKey.set(key, started);
    context.signal.addEventListener('abort', () => started.stop(), { once: true });
    const { duration, timeScale } = scenario.spec;
    context.events.event(scenario, 'Normal', 'Started', `${duration} at ${timeScale} simulated seconds a second`);
    return started;
  }

  /** Releases all resources of a scenario except its VMs, which it owns. */
  async release(key: string): Promise<void> {
    this.#byKey.get(key)?.stop();
    this.#byKey.delete(key);
    this.#claims.release(key);
    await this.#deps.nodes.clear(key);
  }
}

/** Advances a scenario, and reports its progress. */
async function step(
  running: RunningScenario,
  scenario: ScenarioObject,
  phase: ScenarioPhase,
  context: Context,
): Promise<ReconcileResult | undefined> {
  const { clock, client } = context;
  const next = await running.advance(scenario, context);
  const now = clock.monotonic();
  if (next !== phase || now - running.reportedAt >= STATUS_INTERVAL_MS) {
    running.reportedAt = now;
    await writeStatus(client, SCENARIOS, scenario, scenarioStatus(scenario, running.progress(next, clock)));
  }
  if (next === 'Completed') {
    running.stop();
    context.events.event(scenario, 'Normal', 'Completed', `Simulated ${scenario.spec.duration}`);
    return undefined;
  }
  if (next === 'Paused') return undefined;
  return { requeueAfterMs: Math.min(STATUS_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, running.nextIn(now))) };
}
