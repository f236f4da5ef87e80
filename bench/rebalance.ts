import { ALGORITHMS } from '#fleet/rebalance/algorithms';
import { benchmark, methodsOf } from '#fleet/rebalance/benchmark';
import { classify, MODES } from '#fleet/rebalance/buckets';
import { type GenerateOptions, generate, MAX_SIZE } from '#fleet/rebalance/generate';
import { DEFAULT_LIMITS } from '#fleet/rebalance/planner';
import { DEFAULT_BUDGET, PLANNERS } from '#fleet/rebalance/planners';
import { readScenarios } from '#fleet/rebalance/read-scenarios';
import { planStep } from '#fleet/rebalance/rebalancing';
import { fleetOf, type Scenario } from '#fleet/rebalance/scenario';
import { realClock } from '#platform/base/clock';
import { seededRandom } from '#platform/base/random';

const BOUNDS = { limits: DEFAULT_LIMITS, budget: DEFAULT_BUDGET, steps: 50 };
const TARGET = 2_000;

/** Measures trying every method on the mixed load, and one step in the largest fleet. */
export async function run(): Promise<void> {
  const mixed = fleetWith({ load: 'mixed' });
  const methods = methodsOf(ALGORITHMS, PLANNERS, MODES);
  const everything = measureTime(() => benchmark(mixed, methods, BOUNDS, seededRandom(1)));
  const verdict = everything.cpu > TARGET ? '  above target' : '';
  print(
    `all ${methods.length} methods on ${sizeOf(mixed)}`,
    everything,
    `at most ${TARGET} ms of a processor of its own${verdict}`,
  );
  for (const planner of PLANNERS) {
    const took = measureTime(() => benchmark(mixed, methodsOf(ALGORITHMS, [planner], MODES), BOUNDS, seededRandom(1)));
    print(`  of these, with the planner ${planner.id}`, took);
  }

  let large = mixed;
  print(
    'making up the largest load and reading it',
    measureTime(() => void (large = fleetWith({ load: 'mixed', ...MAX_SIZE }))),
  );
  for (const algorithm of [ALGORITHMS[7], ALGORITHMS[13]]) {
    const mode = MODES[3];
    if (algorithm === undefined || mode === undefined)
      throw new Error('there are fewer algorithms or modes than known');
    print(
      `classifying ${sizeOf(large)} by ${algorithm.id}`,
      measureTime(() => classify(algorithm.score(large.load()), mode)),
    );
    for (const planner of PLANNERS) {
      print(
        `  one step of it by ${planner.id}`,
        measureTime(() => planStep(large, { algorithm, planner, mode }, BOUNDS, seededRandom(1))),
      );
    }
  }
}

function fleetWith(wanted: GenerateOptions) {
  const { name, nodes } = generate(wanted, seededRandom(1));
  return fleetOf(readScenarios({ [name]: nodes }).scenarios[0] as Scenario);
}

const sizeOf = ({ nodes, vms }: ReturnType<typeof fleetWith>) =>
  `${nodes.length.toLocaleString('en')} nodes and ${vms.length.toLocaleString('en')} machines`;

/** Wall and CPU milliseconds. Wall time depends on what else runs on the host. */
interface Time {
  readonly wall: number;
  readonly cpu: number;
}

function measureTime(work: () => unknown): Time {
  const [start, before] = [realClock.monotonic(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(before);
  return { wall: realClock.monotonic() - start, cpu: (user + system) / 1_000 };
}

function print(what: string, { wall, cpu }: Time, target = ''): void {
  const times = `${wall.toFixed(1).padStart(9)} ms wall ${cpu.toFixed(1).padStart(9)} ms CPU`;
  console.log(`  ${what.padEnd(80)} ${times}  ${target}`.trimEnd());
}

if (import.meta.main) await run();
