import { type Command, Option } from 'commander';
import type { FleetModel } from '#fleet/rebalance/fleet-model';
import type { Planner } from '#fleet/rebalance/planner';
import { decide, type LiveCluster, type LoopRun, runRebalanceLoop } from '#fleet/rebalance/rebalance-loop';
import type { Bounds } from '#fleet/rebalance/rebalancing';
import { seededRandom } from '#platform/base/random';
import { durationOption } from '../duration-option.ts';
import { EXIT_CODES, ReportedError } from '../failure.ts';
import { nonEmpty } from '../non-empty.ts';
import type { RebalanceDeps } from './command.ts';
import { exporterCluster } from './exporter-cluster.ts';
import { exporterToken } from './exporter-token.ts';
import { webAddress } from './fetch-text.ts';
import { sub, wholeNumber } from './load-flags.ts';
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
  readonly exporter: string;
  readonly tokenFile?: string;
  readonly prometheus?: string;
  readonly patience: number;
  readonly steps: number;
  readonly seed: string;
  readonly dryRun?: true;
  readonly output: RunFormat;
}

const EXPORTER = 'http://127.0.0.1:8000';

/** Builds `vimana rebalance run`, which rebalances a cluster step by step until no node is over-utilized. */
export function addRunCommand(parent: Command, parts: RebalanceDeps): void {
  withBoundFlags(sub(parent, 'run'))
    .description('rebalance a cluster until no node has too much to do; the exit code says whether it came to that')
    .option('--exporter <url>', 'where the exporter answers, which moves machines', webAddress(EXPORTER), EXPORTER)
    .option(
      '--token-file <file>',
      'file with the token for the exporter (default: the one that an exporter of this user at that address has written)',
      nonEmpty,
    )
    .addOption(
      new Option(
        '--prometheus <url>',
        'take what nodes measure from here instead; it must scrape that exporter',
      ).argParser(webAddress('http://prometheus:9090')),
    )
    .addOption(durationOption('--patience <duration>', 'how long to wait for a scrape of Prometheus', '2m'))
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(plannerOption())
    .option('--steps <count>', 'steps after which it is enough', wholeNumber(1, 10_000), 50)
    .option('--seed <text>', 'what chance follows from', '1')
    .option('--dry-run', 'say what the first step would do, and do nothing; the exit code is 1 where that is something')
    .addOption(
      new Option('-o, --output <format>', 'how to print; csv and json come when it is over')
        .choices(RUN_FORMATS)
        .default('text'),
    )
    .refuses((flags: RunFlags, given) =>
      given('patience') && flags.prometheus === undefined ? ['--patience is of use with --prometheus only.'] : [],
    )
    .action((flags: RunFlags) => run(flags, parts));
}

async function run(flags: RunFlags, { io, clock, interrupted }: RebalanceDeps): Promise<void> {
  const report = new RunReport(io, flags.output);
  let bounds: Bounds | undefined;
  const boundsFor = (fleet: FleetModel) =>
    (bounds ??= boundsOf(flags, flags.steps, { io, clock, fleet, methods: [flags] }));
  const random = seededRandom(flags.seed).fork('run');
  const cluster = clusterOf(flags, clock);
  const signal = interrupted();
  if (flags.dryRun === true) {
    const step = decide({ method: flags, boundsFor, random }, 1, await cluster.observe(signal));
    report.planned(step);
    if (step.verdict.over.length > 0) throw new ReportedError(EXIT_CODES.failed);
    return;
  }
  signal.addEventListener('abort', () => report.stopping());
  const done = await runRebalanceLoop({
    ...{ cluster, method: flags, boundsFor, random, signal },
    onStep: (step) => report.decided(step),
    onMoved: (step, made) => report.moved(step, made),
  });
  report.over(done);
  const code = codeOf(done);
  if (code !== EXIT_CODES.done) throw new ReportedError(code);
}

function clusterOf(
  { exporter, tokenFile, prometheus, patience }: RunFlags,
  clock: RebalanceDeps['clock'],
): LiveCluster {
  const cluster = exporterCluster(exporter, () => exporterToken(exporter, tokenFile));
  return prometheus === undefined
    ? cluster
    : measuredByPrometheus(cluster, { at: prometheus, clock, timeoutMs: patience });
}

function codeOf({ outcome }: LoopRun): number {
  if (outcome === 'converged') return EXIT_CODES.done;
  return outcome === 'interrupted' ? EXIT_CODES.interrupted : EXIT_CODES.failed;
}
