import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SimulationScenario } from '#api/simulation/simulation-scenario';
import type { Limits } from '#fleet/rebalance/planner';
import { DEFAULT_BUDGET } from '#fleet/rebalance/planners';
import type { Method } from '#fleet/rebalance/rebalancing';
import { parseDuration } from '#platform/base/duration';
import { VimanaError } from '#platform/base/errors';
import { CheckedCommand } from './checked-command.ts';
import { durationMs, durationOption, formatDurationFlag } from './duration-option.ts';
import type { Io } from './io.ts';
import { nonEmpty } from './non-empty.ts';
import { wholeNumber } from './rebalance/load-flags.ts';
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
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

interface Flags {
  readonly scenario: string;
  readonly until?: number;
  readonly speed: number;
  readonly seed?: string;
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
    .description('play a SimulationScenario in simulated time, and write a report')
    .requiredOption('--scenario <file>', 'a manifest with a SimulationScenario; #name chooses one of several', nonEmpty)
    .addOption(new Option('--until <duration>', 'end sooner, in simulated time').argParser(positive))
    .addOption(
      new Option('--speed <factor>', 'simulated seconds in a real one, or max')
        .argParser(speed)
        .default(Number.POSITIVE_INFINITY, 'max'),
    )
    .option('--seed <text>', 'what chance follows from (default: the seed of the scenario)', nonEmpty)
    .option(
      '--out <folder>',
      'where the report goes; an earlier report there is written over',
      nonEmpty,
      'simulation-report',
    )
    .option('--nodes <count>', 'nodes of 32 CPUs and 128Gi, where the scenario brings none', wholeNumber(1, 10_000), 10)
    .addOption(durationOption('--sample <duration>', 'how often nodes are measured', '5m').argParser(positive))
    .option('--resolution <share>', 'steps in which machines are told of a load that drifts', share, 0.1)
    .option('--slo-cpu <share>', 'CPU of a node beyond which machines suffer', share, 0.9)
    .option('--slo-memory <share>', 'memory of a node beyond which machines suffer', share, 0.95)
    .option('--no-rebalance', 'leave machines where they are')
    .addOption(
      durationOption('--rebalance-every <duration>', 'how often machines are rebalanced', '5m').argParser(positive),
    )
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(plannerOption());
  return withLimitFlags(command)
    .option('--budget <plans>', 'plans that a search judges in a step', wholeNumber(1, 100_000), DEFAULT_BUDGET)
    .addOption(
      new Option('--destinations <who>', 'who says where a machine goes')
        .choices(['planner', 'scheduler'])
        .default('planner'),
    )
    .addOption(
      new Option('--log-level <level>', 'what to log')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('error'),
    )
    .action((flags: Flags) => start(settingsOf(io, flags)));
}

function settingsOf(io: Io, flags: Flags): SimulateSettings {
  const scenario = scenarioAt(io, flags.scenario);
  const { speed: factor, out, nodes, resolution, logLevel, destinations, budget } = flags;
  const lasts = parseDuration(scenario.spec.duration);
  if (flags.until !== undefined && flags.until > lasts) {
    throw new VimanaError(
      'REFUSED',
      `--until ${formatDurationFlag(flags.until)}: the scenario lasts ${scenario.spec.duration}`,
      {
        hint: 'Leave it out, or let spec.duration say more.',
      },
    );
  }
  const { algorithm, mode, planner } = flags;
  return {
    scenario,
    seed: flags.seed ?? `${scenario.spec.seed}`,
    untilMs: flags.until ?? lasts,
    speed: factor,
    out,
    nodes,
    sampleMs: flags.sample,
    resolution,
    slo: { cpu: flags.sloCpu, memory: flags.sloMemory },
    ...(flags.rebalance
      ? {
          rebalance: {
            everyMs: flags.rebalanceEvery,
            method: { algorithm, mode, planner },
            limits: { perNode: flags.perNode, perStep: flags.perStep },
            budget,
            destinations,
          },
        }
      : {}),
    logLevel,
  };
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
  throw new InvalidArgumentError('It must be max or a number above 0.');
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 10) return value;
  throw new InvalidArgumentError('It must be a share above 0, such as 0.05.');
}
