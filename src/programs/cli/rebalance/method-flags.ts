import { Option } from 'commander';
import { ALGORITHMS, DEFAULT_ALGORITHM } from '#fleet/rebalance/algorithms';
import { classify, DEFAULT_MODE, MODES } from '#fleet/rebalance/buckets';
import type { FleetModel } from '#fleet/rebalance/fleet-model';
import { DEFAULT_LIMITS } from '#fleet/rebalance/planner';
import { DEFAULT_BUDGET, DEFAULT_PLANNER, PLANNERS } from '#fleet/rebalance/planners';
import type { Bounds, Method } from '#fleet/rebalance/rebalancing';
import type { Clock } from '#platform/base/clock';
import type { CheckedCommand } from '../checked-command.ts';
import { durationMs } from '../duration-option.ts';
import type { Io } from '../io.ts';
import { integerBetween, theOnly } from './load-flags.ts';

const MAX_PLANS = 100_000;
const MEASURED = 200;

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).join(', ');
const defaultOf = <T extends { readonly id: string }>(all: readonly T[], desired: string): T =>
  all.find(({ id }) => id === desired) as T;

export const algorithmOption = () =>
  new Option('--algorithm <name>', `algorithm that scores nodes: ${idsOf(ALGORITHMS)}`)
    .argParser(theOnly(ALGORITHMS))
    .default(defaultOf(ALGORITHMS, DEFAULT_ALGORITHM), DEFAULT_ALGORITHM);

export const modeOption = () =>
  new Option('--mode <name>', `mode that sets the thresholds around the mean: ${idsOf(MODES)}`)
    .argParser(theOnly(MODES))
    .default(defaultOf(MODES, DEFAULT_MODE), DEFAULT_MODE);

export const plannerOption = () =>
  new Option('--planner <name>', `planner that chooses VMs and destinations: ${idsOf(PLANNERS)}`)
    .argParser(theOnly(PLANNERS))
    .default(defaultOf(PLANNERS, DEFAULT_PLANNER), DEFAULT_PLANNER);

export interface MethodFlags {
  readonly algorithm: Method['algorithm'];
  readonly mode: Method['mode'];
}

export interface BoundFlags {
  readonly perNode: number;
  readonly perStep: number;
  readonly budget: number;
  readonly timeBudget?: number;
}

/** Adds the flags that limit a step. */
export function withBoundFlags(command: CheckedCommand): CheckedCommand {
  return withLimitFlags(command)
    .option('--budget <plans>', 'plans that a search evaluates per step', integerBetween(1, MAX_PLANS), DEFAULT_BUDGET)
    .addOption(
      new Option(
        '--time-budget <duration>',
        'time per step for a search, converted once to a number of plans',
      ).argParser(durationMs),
    )
    .refuses((_flags: BoundFlags, given) =>
      given('budget') && given('timeBudget') ? ['--budget and --time-budget cannot be combined.'] : [],
    );
}

export function withLimitFlags(command: CheckedCommand): CheckedCommand {
  return command
    .option(
      '--per-node <count>',
      'maximum VMs to migrate off a node per step',
      integerBetween(1, 1_000),
      DEFAULT_LIMITS.perNode,
    )
    .option('--per-step <count>', 'maximum VMs to migrate per step', integerBetween(1, 1_000), DEFAULT_LIMITS.perStep);
}

/** Inputs for limiting a search. */
interface Bounding {
  readonly io: Io;
  readonly clock: Clock;
  readonly fleet: FleetModel;
  readonly methods: readonly Pick<Method, 'algorithm' | 'mode'>[];
}

/**
 * Returns the limits that the flags request. A time budget is converted to a number of plans up front, so that the same
 * number gives the same result again, on any host.
 */
export function boundsOf(flags: BoundFlags, steps: number, { io, clock, fleet, methods }: Bounding): Bounds {
  const limits = { perNode: flags.perNode, perStep: flags.perStep };
  if (flags.timeBudget === undefined) return { limits, steps, budget: flags.budget };
  const each = Math.max(...methods.map((method) => measureClassify(fleet, method, clock)));
  const budget = Math.min(MAX_PLANS, Math.max(1, Math.floor(flags.timeBudget / each)));
  io.err(`the search evaluates up to ${budget} plans per step; --budget ${budget} reproduces this run\n`);
  return { limits, steps, budget };
}

/** Measures the milliseconds that the evaluation of one plan takes after warm-up. */
function measureClassify(
  fleet: FleetModel,
  { algorithm, mode }: Pick<Method, 'algorithm' | 'mode'>,
  clock: Clock,
): number {
  let start = 0;
  for (let i = -MEASURED; i < MEASURED; i++) {
    if (i === 0) start = clock.monotonic();
    classify(algorithm.score(fleet.load()), mode);
  }
  return (clock.monotonic() - start) / MEASURED;
}
