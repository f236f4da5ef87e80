import { type Command, Option } from 'commander';
import type { FleetModel } from '#fleet/rebalance/fleet-model';
import type { Planner } from '#fleet/rebalance/planner';
import { DEFAULT_MOVE_COST } from '#fleet/rebalance/planners';
import { decide, type LiveCluster, type LoopRun, runRebalanceLoop } from '#fleet/rebalance/rebalance-loop';
import type { Bounds } from '#fleet/rebalance/rebalancing';
import { seededRandom } from '#platform/base/random';
import { durationOption } from '../duration-option.ts';
import { EXIT_CODES, ReportedError } from '../failure.ts';
import { nonEmpty } from '../non-empty.ts';
import { ProgressLine } from '../progress-line.ts';
import type { RebalanceDeps } from './command.ts';
import { DESTINATIONS, type Destinations, exporterCluster } from './exporter-cluster.ts';
import { exporterToken } from './exporter-token.ts';
import { webAddress } from './fetch-text.ts';
import { integerBetween, numberBetween, sub } from './load-flags.ts';
import {
  algorithmOption,
  type BoundFlags,
  boundsOf,
  type MethodFlags,
  modeOption,
  plannerOption,
  withBoundFlags,
} from './method-flags.ts';
import { measuredByPrometheus } from './prometheus-measures.ts';
import { RUN_FORMATS, type RunFormat, RunReport } from './run-report.ts';

interface RunFlags extends MethodFlags, BoundFlags {
  readonly planner: Planner;
  readonly exporter?: string;
  readonly tokenFile?: string;
  readonly prometheus?: string;
  readonly patience: number;
  readonly steps: number;
  readonly cooldown: number;
  readonly moveCost: number;
  readonly destinations: Destinations;
  readonly seed: string;
  readonly dryRun?: true;
  readonly output: RunFormat;
}

const EXPORTER = 'http://127.0.0.1:8000';

/** Builds `vimana rebalance run`, which rebalances a cluster step by step until no node is over-utilized. */
export function addRunCommand(parent: Command, parts: RebalanceDeps): void {
  withBoundFlags(sub(parent, 'run'))
    .description('rebalance a cluster until no node is overloaded; exits with 1 if some node still is')
    .option(
      '--exporter <url>',
      `address of the exporter, which migrates the VMs (default: that of the running instance, or ${EXPORTER})`,
      webAddress(EXPORTER),
    )
    .option(
      '--token-file <file>',
      'file with the token for the exporter (default: the token file of an exporter of this user at that address)',
      nonEmpty,
    )
    .addOption(
      new Option(
        '--prometheus <url>',
        'read node metrics from this Prometheus instead, which must scrape that exporter',
      ).argParser(webAddress('http://prometheus:9090')),
    )
    .addOption(durationOption('--patience <duration>', 'maximum time to wait for a Prometheus scrape', '2m'))
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(plannerOption())
    .option('--steps <count>', 'maximum number of steps', integerBetween(1, 10_000), 50)
    .addOption(
      durationOption('--cooldown <duration>', 'time during which a VM that has migrated does not migrate again', '5m'),
    )
    .option(
      '--move-cost <number>',
      'cost of copying the memory of a whole node; a VM migrates only if the balance gains more than its share',
      numberBetween(0, 100),
      DEFAULT_MOVE_COST,
    )
    .addOption(
      new Option(
        '--destinations <who>',
        'who chooses the target nodes; VMs that cannot live-migrate always go where the scheduler puts them',
      )
        .choices(DESTINATIONS)
        .default('planner'),
    )
    .option('--seed <text>', 'random seed', '1')
    .option('--dry-run', 'print what the first step would do, and change nothing; exits with 1 if a node is overloaded')
    .addOption(
      new Option('-o, --output <format>', 'output format; csv and json are printed at the end')
        .choices(RUN_FORMATS)
        .default('text'),
    )
    .refuses((flags: RunFlags, given) =>
      given('patience') && flags.prometheus === undefined ? ['--patience needs --prometheus.'] : [],
    )
    .action((flags: RunFlags) => run(flags, parts));
}

async function run(flags: RunFlags, { io, clock, interrupted, findExporter }: RebalanceDeps): Promise<void> {
  const report = new RunReport(io, flags.output);
  let bounds: Bounds | undefined;
  const boundsFor = (fleet: FleetModel) =>
    (bounds ??= {
      ...boundsOf(flags, flags.steps, { io, clock, fleet, methods: [flags] }),
      moveCost: flags.moveCost,
    });
  const random = seededRandom(flags.seed).fork('run');
  const exporter = flags.exporter ?? (await findExporter()) ?? EXPORTER;
  const cluster = clusterOf(exporter, flags, clock);
  const signal = interrupted();
  const deciding = { method: flags, boundsFor, random, cooldownMs: flags.cooldown };
  if (flags.dryRun === true) {
    const step = decide(deciding, 1, await cluster.observe(signal));
    report.planned(step);
    if (step.verdict.over.length > 0 || step.nodes.length === 0) throw new ReportedError(EXIT_CODES.failed);
    return;
  }
  const progress = new ProgressLine(io, clock);
  signal.addEventListener('abort', () => report.stopping());
  const done = await runRebalanceLoop({
    ...{ ...deciding, cluster, signal },
    onStep(step) {
      progress.clear();
      report.decided(step);
      // Formats for programs are printed at the end, and live migrations take their time.
      progress.show(() => `step ${step.number}: migrating ${step.moves.length} VMs`);
    },
    onMoved(step, made) {
      progress.clear();
      report.moved(step, made);
    },
  });
  progress.clear();
  report.over(done);
  const code = codeOf(done);
  if (code !== EXIT_CODES.done) throw new ReportedError(code);
}

function clusterOf(
  exporter: string,
  { tokenFile, prometheus, patience: timeoutMs, destinations }: RunFlags,
  clock: RebalanceDeps['clock'],
): LiveCluster {
  const cluster = exporterCluster(exporter, destinations, () => exporterToken(exporter, tokenFile));
  return prometheus === undefined ? cluster : measuredByPrometheus(cluster, { at: prometheus, clock, timeoutMs });
}

function codeOf({ outcome }: LoopRun): number {
  if (outcome === 'converged') return EXIT_CODES.done;
  return outcome === 'interrupted' ? EXIT_CODES.interrupted : EXIT_CODES.failed;
}
