import { Argument, type Command, InvalidArgumentError } from 'commander';
import { toNumber, tryParseQuantity } from '#platform/base/quantity';
import { CheckedCommand } from './checked-command.ts';
import { durationMs, durationOption, formatDurationFlag } from './duration-option.ts';
import { nonEmpty } from './non-empty.ts';
import { integerBetween } from './rebalance/load-flags.ts';

export const TRACE_SOURCES = ['azure', 'google', 'alibaba'] as const;

/** Parsed flags of `vimana trace import`. */
export interface TraceSettings {
  readonly format: (typeof TRACE_SOURCES)[number];
  /** File with the VMs, and files with their usage. */
  readonly vms: string;
  readonly usage: readonly string[];
  readonly fromMs: number;
  readonly durationMs: number;
  readonly intervalMs: number;
  readonly maxVms: number;
  readonly nodes: number;
  readonly machine: { readonly cores: number; readonly memoryGi: number };
  readonly name: string;
  /** File for the scenario. Absent for standard output. */
  readonly out?: string;
}

interface Flags {
  readonly vms: string;
  readonly usage: readonly string[];
  readonly from: number;
  readonly duration: number;
  readonly interval: number;
  readonly maxVms: number;
  readonly nodes: number;
  readonly nodeSize: TraceSettings['machine'];
  readonly name?: string;
  readonly out?: string;
}

/** Maximum number of points of a profile. */
const MAX_POINTS = 1440;
const GIB = 2 ** 30;

/** Builds `vimana trace`, which turns published traces into scenarios. */
export function traceCommand(start: (settings: TraceSettings) => Promise<void>): Command {
  const trace = new CheckedCommand('trace').description('use traces of real clusters');
  const command = new CheckedCommand('import')
    .description('turn a trace of Azure, Google or Alibaba into a SimulationScenario')
    .addArgument(new Argument('<format>', 'format of the trace').choices(TRACE_SOURCES))
    .requiredOption(
      '--vms <file>',
      'file with the VMs: vmtable.csv, instance_events as JSON lines, or container_meta.csv; .gz is decompressed',
      nonEmpty,
    )
    .requiredOption(
      '--usage <files...>',
      'files with their usage: vm_cpu_readings-*.csv, instance_usage as JSON lines, or container_usage.csv',
    )
    .addOption(durationOption('--from <duration>', 'time of the trace at which the scenario starts', '0s'))
    .addOption(durationOption('--duration <duration>', 'duration of the scenario', '24h').argParser(positive))
    .addOption(
      durationOption('--interval <duration>', 'interval that usage is averaged over', '5m').argParser(positive),
    )
    .option('--max-vms <count>', 'number of VMs to import, in the order of the file', integerBetween(1, 100_000), 1_000)
    .option('--nodes <count>', 'number of nodes of the scenario', integerBetween(1, 10_000), 10)
    .option(
      '--node-size <size>',
      'size of each node; normalized amounts of Google and Alibaba refer to it',
      nodeSize,
      nodeSize('32cpu,128Gi'),
    )
    .option('--name <name>', 'name of the scenario (default: the format)', nonEmpty)
    .option('--out <file>', 'file for the scenario (default: standard output)', nonEmpty)
    .refuses((flags: Flags) => tooLong(flags))
    .action((format: TraceSettings['format'], flags: Flags) => start(settingsOf(format, flags)));
  const size = command.options.find(({ long }) => long === '--node-size');
  size?.default(size.defaultValue, '32cpu,128Gi');
  return trace.addCommand(command);
}

function settingsOf(format: TraceSettings['format'], flags: Flags): TraceSettings {
  const { vms, usage, maxVms, nodes, name = format, out } = flags;
  return {
    ...{ format, vms, usage, maxVms, nodes, name, machine: flags.nodeSize },
    ...{ fromMs: flags.from, durationMs: flags.duration, intervalMs: flags.interval },
    ...(out === undefined ? {} : { out }),
  };
}

function tooLong({ duration, interval }: Flags): string[] {
  if (duration / interval <= MAX_POINTS) return [];
  const needed = formatDurationFlag(Math.ceil(duration / MAX_POINTS / 60_000) * 60_000);
  return [
    `--duration ${formatDurationFlag(duration)} has more than ${MAX_POINTS} intervals: set --interval to at least ${needed}.`,
  ];
}

function positive(text: string): number {
  const ms = durationMs(text);
  if (ms >= 1000) return ms;
  throw new InvalidArgumentError('It must be at least 1s.');
}

function nodeSize(text: string): TraceSettings['machine'] {
  const [, cpu, memory] = /^(\d+(?:\.\d+)?)(?:cpu)?,(\S+)$/.exec(text) ?? [];
  const bytes = memory === undefined ? undefined : tryParseQuantity(memory);
  const size = { cores: Number(cpu), memoryGi: bytes === undefined ? 0 : toNumber(bytes) / GIB };
  if (size.cores > 0 && size.memoryGi > 0) return size;
  throw new InvalidArgumentError('It must be a size such as 32cpu,128Gi.');
}
