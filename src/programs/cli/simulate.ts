import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import type { Limits } from '#fleet/rebalance/planner';
import { DEFAULT_BUDGET } from '#fleet/rebalance/planners';
import type { Method } from '#fleet/rebalance/rebalancing';
import { parseDuration } from '#platform/base/duration';
import { VimanaError } from '#platform/base/errors';
import { CheckedCommand, type Given } from './checked-command.ts';
import { type ComparedMethod, comparedMethods } from './compared-methods.ts';
import { durationMs, durationOption, formatDurationFlag } from './duration-option.ts';
import type { Io } from './io.ts';
import { nonEmpty } from './non-empty.ts';
import { integerBetween } from './rebalance/load-flags.ts';
import { algorithmOption, modeOption, plannerOption, withLimitFlags } from './rebalance/method-flags.ts';
import { scenarioAt } from './scenario-file.ts';

/** Parsed flags of `vimana simulate`. */
export interface SimulateSettings {
  readonly scenario: SimulationScenario;
  readonly seed: string;
  /** Limit in simulated time. */
  readonly untilMs: number;
  /** Simulated seconds per real second. Infinity means as fast as possible. */
  readonly speed: number;
  readonly out: string;
  /** Number of nodes if the scenario defines none. */
  readonly nodes: number;
  readonly sampleMs: number;
  readonly resolution: number;
  readonly slo: { readonly cpu: number; readonly memory: number };
  /** If absent, VMs are not rebalanced. */
  readonly rebalance?: {
    readonly everyMs: number;
    readonly method: Method;
    readonly limits: Limits;
    readonly budget: number;
    readonly destinations: 'planner' | 'scheduler';
  };
  /** Methods to compare on the same seeds, instead of one run. */
  readonly compare?: { readonly methods: readonly ComparedRun[]; readonly seeds: readonly string[] };
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** Method of a comparison. Without rebalancing, VMs stay where the scheduler puts them. */
export interface ComparedRun {
  readonly name: string;
  readonly rebalance?: NonNullable<SimulateSettings['rebalance']>;
}

interface Flags {
  readonly scenario: string;
  readonly until?: number;
  readonly speed: number;
  readonly seed?: string;
  readonly compare?: readonly ComparedMethod[];
  readonly seeds: number;
  readonly out: string;
  readonly nodes: number;
  readonly sample: number;
  readonly resolution: number;
  readonly sloCpu: number;
  readonly sloMemory: number;
  readonly rebalance: boolean;
  readonly rebalanceEvery: number;
  readonly algorithm: Method['algorithm'];
  readonly mode: Method['mode'];
  readonly planner: Method['planner'];
  readonly perNode: number;
  readonly perStep: number;
  readonly budget: number;
  readonly destinations: 'planner' | 'scheduler';
  readonly logLevel: SimulateSettings['logLevel'];
}

/**
 * Builds `vimana simulate`, which runs a scenario in simulated time with everything that `vimana up` runs, and prints a
 * report.
 */
export function simulateCommand(io: Io, start: (settings: SimulateSettings) => Promise<void>): Command {
  const command = new CheckedCommand('simulate')
    .description('run a SimulationScenario in simulated time, and write a report')
    .requiredOption(
      '--scenario <file>',
      'manifest with a SimulationScenario; FILE#NAME selects one of several',
      nonEmpty,
    )
    .addOption(
      new Option('--until <duration>', 'stop at this simulated time (default: the duration of the scenario)').argParser(
        positive,
      ),
    )
    .addOption(
      new Option('--speed <factor>', 'simulated seconds per real second, or max')
        .argParser(speed)
        .default(Number.POSITIVE_INFINITY, 'max'),
    )
    .option('--seed <text>', 'random seed (default: the seed of the scenario)', nonEmpty);
  withCompareFlags(command)
    .option(
      '--out <directory>',
      'directory for the report; an earlier report is overwritten',
      nonEmpty,
      'simulation-report',
    )
    .option(
      '--nodes <count>',
      'number of nodes with 32 CPUs and 128Gi, if the scenario has no nodes',
      integerBetween(1, 10_000),
      10,
    )
    .addOption(durationOption('--sample <duration>', 'interval between samples of the nodes', '5m').argParser(positive))
    .option('--resolution <fraction>', 'smallest change of a drifting load that is applied to VMs', share, 0.1)
    .option('--slo-cpu <fraction>', 'CPU utilization of a node above which its VMs violate the SLO', share, 0.9)
    .option('--slo-memory <fraction>', 'memory utilization of a node above which its VMs violate the SLO', share, 0.95)
    .option('--no-rebalance', 'do not rebalance')
    .addOption(
      durationOption('--rebalance-every <duration>', 'interval between rebalancing runs', '5m').argParser(positive),
    )
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(plannerOption());
  return withLimitFlags(command)
    .option('--budget <plans>', 'plans that a search evaluates per step', integerBetween(1, 100_000), DEFAULT_BUDGET)
    .addOption(
      new Option('--destinations <who>', 'whether the planner or the scheduler chooses the destination of a VM')
        .choices(['planner', 'scheduler'])
        .default('planner'),
    )
    .addOption(
      new Option('--log-level <level>', 'minimum level to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('error'),
    )
    .action((flags: Flags, command: Command) =>
      start(settingsOf(io, flags, command.getOptionValueSource('nodes') === 'cli')),
    );
}

function withCompareFlags(command: CheckedCommand): CheckedCommand {
  return command
    .addOption(
      new Option(
        '--compare <methods>',
        'compare methods on the same seeds: none, or an algorithm, planner and mode such as max-metric/best-fit; the first one is the reference',
      ).argParser(comparedMethods),
    )
    .option('--seeds <count>', 'number of seeds to compare methods on', integerBetween(2, 1_000), 10)
    .refuses(contradictions);
}

function settingsOf(io: Io, flags: Flags, areNodesGiven: boolean): SimulateSettings {
  const scenario = scenarioAt(io, flags.scenario);
  if (areNodesGiven && (scenario.spec.nodes ?? []).length > 0) {
    throw new VimanaError('REFUSED', `--nodes ${flags.nodes}: the scenario defines its nodes`, {
      hint: 'Omit it, or change spec.nodes.',
    });
  }
  const { speed: factor, out, nodes, resolution, logLevel, destinations, budget } = flags;
  const lasts = parseDuration(scenario.spec.duration);
  if (flags.until !== undefined && flags.until > lasts) {
    throw new VimanaError(
      'REFUSED',
      `--until ${formatDurationFlag(flags.until)}: the scenario lasts ${scenario.spec.duration}`,
      {
        hint: 'Omit it, or increase spec.duration.',
      },
    );
  }
  const { algorithm, mode, planner } = flags;
  const seed = flags.seed ?? `${scenario.spec.seed}`;
  const rebalancing = (parts: Partial<Method>) => ({
    everyMs: flags.rebalanceEvery,
    method: { algorithm, mode, planner, ...parts },
    limits: { perNode: flags.perNode, perStep: flags.perStep },
    budget,
    destinations,
  });
  return {
    scenario,
    seed,
    untilMs: flags.until ?? lasts,
    speed: factor,
    out,
    nodes,
    sampleMs: flags.sample,
    resolution,
    slo: { cpu: flags.sloCpu, memory: flags.sloMemory },
    ...(flags.rebalance ? { rebalance: rebalancing({}) } : {}),
    ...(flags.compare === undefined
      ? {}
      : {
          compare: {
            methods: flags.compare.map(({ name, parts }) =>
              parts === undefined ? { name } : { name, rebalance: rebalancing(parts) },
            ),
            seeds: Array.from({ length: flags.seeds }, (_, at) => `${seed}-${at + 1}`),
          },
        }),
    logLevel,
  };
}

function contradictions(flags: Flags, given: Given): string[] {
  return [
    ...(given('seeds') && flags.compare === undefined ? ['--seeds needs --compare.'] : []),
    ...(flags.compare !== undefined && !flags.rebalance
      ? ['--compare cannot be combined with --no-rebalance: compare with the method none instead.']
      : []),
  ];
}

function positive(text: string): number {
  const ms = durationMs(text);
  if (ms >= 1000) return ms;
  throw new InvalidArgumentError('It must be at least 1s.');
}

function speed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY;
  const factor = Number.parseFloat(text);
  if (/^\d+(?:\.\d+)?x?$/.test(text) && factor > 0) return factor;
  throw new InvalidArgumentError('It must be max or a number greater than 0.');
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 10) return value;
  throw new InvalidArgumentError('It must be a number greater than 0, such as 0.05.');
}
