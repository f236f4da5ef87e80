import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { lockDirectory } from '#control-plane/apiserver/store/directory-lock';
import { StoreError } from '#control-plane/apiserver/store/store-error';
import { comparisonOf, type MethodRuns } from '#fleet/simulation/compare/comparison';
import { comparisonOutput } from '#fleet/simulation/compare/comparison-output';
import { formatComparison } from '#fleet/simulation/compare/format-comparison';
import { directoryOutput, type Output } from '#fleet/simulation/report/output';
import { Recorder } from '#fleet/simulation/report/recorder';
import type { RunConfig, RunSummary } from '#fleet/simulation/report/summary';
import { poolOf } from '#fleet/simulation/runner/node-groups';
import { Rebalancer } from '#fleet/simulation/runner/rebalancer';
import { ScenarioRunner, TICK_MS } from '#fleet/simulation/runner/scenario-runner';
import { realClock } from '#platform/base/clock';
import { parseDuration } from '#platform/base/duration';
import { VimanaError } from '#platform/base/errors';
import { FakeClock } from '#platform/base/fake-clock';
import { createLogger } from '#platform/base/pino-logger';
import { type Random, seededRandom } from '#platform/base/random';
import { formatDurationFlag } from '#programs/cli/duration-option';
import { EXIT_CODES, ReportedError } from '#programs/cli/failure';
import type { Io } from '#programs/cli/io';
import { ProgressLine } from '#programs/cli/progress-line';
import type { SimulateSettings } from '#programs/cli/simulate';
import { type Embedded, startEmbedded } from '#programs/up/embedded';
import type { NodePool } from '#vm/node/simulated/node-pool';

/** Default start of scenarios. It is fixed, so that the same seed gives the same bytes. */
const DEFAULT_START = Date.UTC(2030, 0, 1);
/** Time for nodes to become ready before the scenario starts. */
const WARM_UP_MS = 60_000;
const BYTES_A_MEGABIT = 125_000;

/** Runs `vimana simulate`. Its files depend on the settings alone; the real duration goes to the terminal. */
export async function simulate(settings: SimulateSettings, io: Io): Promise<void> {
  // Otherwise the garbage of a simulated day would grow to several times the live heap.
  setFlagsFromString('--heap-growing-percent=40');
  const stop = new AbortController();
  // A second signal of the same kind ends it at once.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name));
  const run = settings.compare === undefined ? simulateOnce : simulateAll;
  const completed = await run(settings, io, stop.signal);
  if (completed) return;
  throw new ReportedError(stop.signal.reason === 'SIGTERM' ? EXIT_CODES.terminated : EXIT_CODES.interrupted);
}

/** Runs a scenario once. Reports whether it was completed. */
async function simulateOnce(settings: SimulateSettings, io: Io, signal: AbortSignal): Promise<boolean> {
  const began = realClock.monotonic();
  const progress = new ProgressLine(io, realClock);
  const output = directoryOutput(settings.out, lockOutput);
  const onTime = (time: number) =>
    progress.show(
      () => `${formatPart(time, settings.untilMs)} (${formatDurationFlag(Math.floor(time / 60_000) * 60_000)})`,
    );
  const { simulated_seconds, completed } = await play(settings, output, signal, onTime);
  progress.clear();
  const simulated = simulated_seconds * 1000;
  const seconds = (realClock.monotonic() - began) / 1000;
  if (!completed) {
    io.out(
      `stopped after ${formatDurationFlag(simulated)} of ${formatDurationFlag(settings.untilMs)} of simulated time\n`,
    );
  }
  const { maxRSS } = process.resourceUsage();
  io.out(
    `${formatDurationFlag(simulated)} simulated in ${seconds.toFixed(1)}s: ${Math.round(simulated / 1000 / seconds).toLocaleString('en')} times real time, peak memory ${Math.round(maxRSS / 1024)} MiB\n`,
  );
  io.out(`report: ${settings.out}/report.html\n`);
  return completed;
}

/** Runs a scenario with every method and seed, and compares them. Reports whether all were completed. */
async function simulateAll(settings: SimulateSettings, io: Io, signal: AbortSignal): Promise<boolean> {
  const { compare, scenario, out } = settings;
  const { methods, seeds } = compare ?? { methods: [], seeds: [] };
  const output = comparisonOutput(out, lockOutput);
  const progress = new ProgressLine(io, realClock);
  const all: MethodRuns[] = [];
  for (const { name, rebalance } of methods) {
    const { rebalance: _replaced, ...rest } = settings;
    const runs: RunSummary[] = [];
    for (const [at, seed] of seeds.entries()) {
      const onTime = (time: number) =>
        progress.show(() => `${name}, seed ${at + 1} of ${seeds.length}: ${formatPart(time, settings.untilMs)}`);
      const one = { ...rest, seed, ...(rebalance === undefined ? {} : { rebalance }) };
      const summary = await play(one, nowhere, signal, onTime);
      if (!summary.completed) {
        progress.clear();
        output.discard();
        io.err(`stopped during seed ${at + 1} of ${name}: nothing can be compared\n`);
        return false;
      }
      runs.push(summary);
      output.run(name, seed, summary);
    }
    all.push({ method: name, runs });
  }
  progress.clear();
  const comparison = comparisonOf(scenario.metadata.name ?? '', seeds, all);
  output.finish(comparison);
  io.out(formatComparison(comparison));
  io.out(`comparison: ${out}/comparison.json\n`);
  return true;
}

const formatPart = (time: number, whole: number) =>
  `${Math.floor((100 * time) / whole)}% of ${formatDurationFlag(whole)} simulated`;

/** Output of a run of which only the summary counts. */
const nowhere: Output = { row: () => {}, file: () => {}, close: () => {} };

/** Locks a directory against other simulations, until the returned function is called or this process dies. */
function lockOutput(directory: string): () => void {
  try {
    const release = lockDirectory(directory);
    return () => {
      rmSync(join(directory, 'folder.lock'), { force: true });
      release();
    };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'FolderInUse') throw error;
    throw new VimanaError('REFUSED', `another simulation is writing to ${directory}`, {
      cause: error,
      hint: 'Wait for it, or choose another directory with --out.',
    });
  }
}

/** Runs the scenario until its end or the signal. */
async function play(
  settings: SimulateSettings,
  output: Output,
  signal: AbortSignal,
  onTime: (simulated: number) => void,
): Promise<RunSummary> {
  const { scenario, seed, logLevel: level } = settings;
  const { spec } = scenario;
  const start = spec.startTime === undefined ? DEFAULT_START : Date.parse(spec.startTime);
  const clock = new FakeClock({ start: start - WARM_UP_MS });
  const random = seededRandom(seed);
  const pools = poolsOf(settings);
  const log = createLogger({ level, format: 'text', clock, destination: process.stderr });
  const harness = await startEmbedded({
    store: 'memory',
    dialects: ['simulation'],
    pools,
    signsOfLife: 'assumed',
    link: spec.networkBandwidthMbps * BYTES_A_MEGABIT,
    clock,
    random: random.fork('world'),
    log,
  });
  await clock.advance(WARM_UP_MS);
  const recorder = new Recorder(output, settingOf(settings, start, pools), start);
  const stage = createRunner(settings, harness, recorder, clock, random);
  const rebalancer = createRebalancer(settings, stage, random);
  const summary = await runToEnd(settings, { stage, rebalancer, recorder, clock, start, onTime }, signal);
  stage.stop();
  await harness.stop();
  return summary;
}

function createRunner(
  { scenario, untilMs, resolution }: SimulateSettings,
  { admin: client, informers, fleet, exporter }: Embedded,
  recorder: Recorder,
  clock: FakeClock,
  random: Random,
): ScenarioRunner {
  if (exporter === undefined) throw new Error('simulated VMs are not served');
  return new ScenarioRunner(
    scenario.spec,
    {
      client,
      informers,
      fleet: exporter,
      clock,
      random: random.fork('scenario'),
      namespace: 'default',
      scenario: scenario.metadata.name ?? '',
      groups: { grow: (group, total) => fleet.scale(total, group) },
      onMoved: (migration) => recorder.recordMigration(migration),
      onOutage: (outage) => recorder.recordOutage(outage),
      onFailure: (what, error) =>
        recorder.problem(`${what}: ${error instanceof Error ? error.message : String(error)}`),
    },
    { tickMs: TICK_MS, resolution, untilMs },
  );
}

function createRebalancer(
  { rebalance }: SimulateSettings,
  { view, migrator }: ScenarioRunner,
  random: Random,
): Rebalancer | undefined {
  if (rebalance === undefined) return undefined;
  return new Rebalancer({
    method: rebalance.method,
    bounds: { limits: rebalance.limits, budget: rebalance.budget, steps: 1 },
    destinations: rebalance.destinations,
    view,
    migrator,
    random: random.fork('rebalancing'),
  });
}

interface Simulation {
  readonly stage: ScenarioRunner;
  readonly rebalancer: Rebalancer | undefined;
  readonly recorder: Recorder;
  readonly clock: FakeClock;
  /** Time at which the scenario starts. */
  readonly start: number;
  /** Called with each simulated time, in milliseconds from the start. */
  readonly onTime: (simulated: number) => void;
}

/** Advances the clock from event to event: of the scenario, of samples, and of rebalancing. */
async function runToEnd(
  { sampleMs, rebalance, speed }: SimulateSettings,
  { stage, rebalancer, recorder, clock, start, onTime }: Simulation,
  signal: AbortSignal,
): Promise<RunSummary> {
  const { engine, view, migrator } = stage;
  const every = rebalance?.everyMs ?? Number.POSITIVE_INFINITY;
  let [nextSample, nextBalance, steps, now] = [sampleMs, every, 0, 0];
  const pace = pacer(speed, signal);
  for (;;) {
    const next = Math.min(engine.nextAt ?? Number.POSITIVE_INFINITY, nextSample, nextBalance);
    if (next > engine.end) {
      now = engine.end;
      break;
    }
    await pace(next);
    if (signal.aborted) break;
    await clock.advanceTo(start + next);
    now = next;
    onTime(now);
    if (next === nextSample) {
      const { vms, activeTasks: tasks } = engine.counters;
      const counts = { vms, running: view.running(), pending: view.pending(), moving: migrator.moving, tasks };
      recorder.sample(next, view.nodes(), counts);
      nextSample += sampleMs;
    }
    if (next === nextBalance) {
      rebalancer?.step();
      steps++;
      nextBalance += every;
    }
    if (next !== engine.nextAt) continue;
    const { events } = await stage.step(next);
    for (const event of events) recorder.recordEvent(event);
  }
  const reached = { simulated_seconds: now / 1000, completed: now === engine.end };
  return recorder.finish(engine.counters, steps, reached, stage.availability?.finish());
}

function poolsOf({ scenario, nodes: fallback }: SimulateSettings): readonly NodePool[] {
  const { nodes = [] } = scenario.spec;
  if (nodes.length === 0) {
    return [{ name: 'node', prefix: 'node-', count: fallback, size: { cpu: '32', memory: '128Gi', pods: '110' } }];
  }
  return nodes.map(poolOf);
}

/** Returns a function that waits for a simulated time at a speed. At the highest speed it does not wait. */
function pacer(speed: number, signal: AbortSignal): (time: number) => Promise<void> {
  const began = realClock.monotonic();
  return async (time) => {
    const ms = began + time / speed - realClock.monotonic();
    if (ms > 0) await realClock.sleep(ms, signal).catch(() => {});
  };
}

function settingOf(settings: SimulateSettings, start: number, pools: readonly NodePool[]): RunConfig {
  const { scenario, seed, untilMs, resolution, slo, sampleMs, rebalance } = settings;
  const { vmPools = [] } = scenario.spec;
  return {
    scenario: scenario.metadata.name ?? '',
    seed,
    start: new Date(start).toISOString(),
    duration_seconds: Math.min(parseDuration(scenario.spec.duration), untilMs) / 1000,
    nodes: pools.reduce((sum, { count }) => sum + count, 0),
    vms: vmPools.reduce((sum, { count }) => sum + count, 0),
    sample_seconds: sampleMs / 1000,
    resolution,
    ...(rebalance === undefined
      ? {}
      : {
          rebalance: {
            every_seconds: rebalance.everyMs / 1000,
            algorithm: rebalance.method.algorithm.id,
            mode: rebalance.method.mode.id,
            planner: rebalance.method.planner.id,
            destinations: rebalance.destinations,
            per_node: rebalance.limits.perNode,
            per_step: rebalance.limits.perStep,
            budget: rebalance.budget,
          },
        }),
    slo,
  };
}
