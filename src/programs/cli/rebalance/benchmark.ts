import { type Command, Option } from 'commander';
import { ALGORITHMS } from '#fleet/rebalance/algorithms';
import { type BenchmarkResult, benchmark, methodsOf } from '#fleet/rebalance/benchmark';
import { MODES } from '#fleet/rebalance/buckets';
import { PLANNERS } from '#fleet/rebalance/planners';
import type { Method } from '#fleet/rebalance/rebalancing';
import { ProgressLine } from '../progress-line.ts';
import type { RebalanceDeps } from './command.ts';
import { curvesOf } from './curves.ts';
import { curvesPlot } from './curves-plot.ts';
import { curvesSvg } from './curves-svg.ts';
import { integerBetween, type LoadFlags, loadOf, someOption, sub, withLoadFlags } from './load-flags.ts';
import { type BoundFlags, boundsOf, withBoundFlags } from './method-flags.ts';
import { formatRows, ROW_FORMATS, type Row, type RowFormat } from './rows.ts';

const COLUMNS = [
  'rank',
  'algorithm',
  'planner',
  'mode',
  'outcome',
  'steps',
  'moves',
  'returns',
  'cpu_sigma',
  'memory_sigma',
];

interface BenchmarkFlags extends LoadFlags, BoundFlags {
  readonly algorithm: readonly Method['algorithm'][];
  readonly planner: readonly Method['planner'][];
  readonly mode: readonly Method['mode'][];
  readonly steps: number;
  readonly top?: number;
  readonly output: RowFormat | 'plot' | 'svg';
}

/** Builds `vimana rebalance benchmark`, which runs every algorithm, planner and mode on the same load. */
export function addBenchmarkCommand(parent: Command, { io, clock }: RebalanceDeps): void {
  withBoundFlags(withLoadFlags(sub(parent, 'benchmark')))
    .description('compare every algorithm, planner and mode on the same load')
    .addOption(someOption('--algorithm <names>', ALGORITHMS))
    .addOption(someOption('--planner <names>', PLANNERS))
    .addOption(someOption('--mode <names>', MODES))
    .option('--steps <count>', 'maximum number of steps', integerBetween(0, 10_000), 50)
    .option('--top <count>', 'print only this many of the best', integerBetween(1, 10_000))
    .addOption(
      new Option('-o, --output <format>', 'output format; plot and svg draw how balanced the nodes are after each step')
        .choices([...ROW_FORMATS, 'plot', 'svg'])
        .default('table'),
    )
    .action((flags: BenchmarkFlags) => {
      const { name, fleet, random } = loadOf(io, flags);
      const methods = methodsOf(flags.algorithm, flags.planner, flags.mode);
      const bounds = boundsOf(flags, flags.steps, { io, clock, fleet, methods });
      const progress = new ProgressLine(io, clock);
      const onMethod = (method: string, done: number) =>
        progress.show(() => `${done + 1} of ${methods.length} methods: ${method}`);
      const results = benchmark(fleet, methods, bounds, random.fork('benchmark'), onMethod).slice(0, flags.top);
      progress.clear();
      if (flags.output === 'plot') io.out(curvesPlot(name, curvesOf(results)));
      else if (flags.output === 'svg') io.out(curvesSvg(name, curvesOf(results)));
      else io.out(formatRows(results.map(rowOf), COLUMNS, flags.output));
    });
}

function rowOf({ method, rank, outcome, steps, moves, returns, curve }: BenchmarkResult): Row {
  const last = curve.at(-1);
  return {
    rank,
    algorithm: method.algorithm.id,
    planner: method.planner.id,
    mode: method.mode.id,
    outcome,
    steps,
    moves,
    returns,
    cpu_sigma: last?.cpu ?? 0,
    memory_sigma: last?.memory ?? 0,
  };
}
