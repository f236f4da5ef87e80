import type { Command } from 'commander';
import { classify } from '#fleet/rebalance/buckets';
import type { RebalanceDeps } from './command.ts';
import { type LoadFlags, loadOf, sub, withLoadFlags } from './load-flags.ts';
import { algorithmOption, type MethodFlags, modeOption } from './method-flags.ts';
import { formatRows, outputOption, type Row, type RowFormat } from './rows.ts';

const COLUMNS = ['node', 'vms', 'cpu_usage', 'cpu_pressure', 'memory_usage', 'memory_pressure', 'score', 'bucket'];

/** Builds `vimana rebalance classify`, which shows over-utilized and under-utilized nodes. */
export function addClassifyCommand(parent: Command, { io }: RebalanceDeps): void {
  withLoadFlags(sub(parent, 'classify'))
    .description('show which nodes are overloaded, and which are underloaded')
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(outputOption())
    .action((flags: LoadFlags & MethodFlags & { readonly output: RowFormat }) => {
      const { fleet } = loadOf(io, flags);
      const load = fleet.load();
      const { scores, mean, buckets } = classify(flags.algorithm.score(load), flags.mode);
      const rows = fleet.nodes.map(
        ({ name }, node): Row => ({
          node: name,
          vms: fleet.on(node).length,
          cpu_usage: load.cpuUsage[node] ?? 0,
          cpu_pressure: load.cpuPressure[node] ?? 0,
          memory_usage: load.memoryUsage[node] ?? 0,
          memory_pressure: load.memoryPressure[node] ?? 0,
          score: scores[node] ?? 0,
          bucket: buckets[node] ?? '',
        }),
      );
      io.out(formatRows(rows, COLUMNS, flags.output));
      const [low, high] = [mean - flags.mode.lower, mean + flags.mode.upper].map((each) => each.toFixed(4));
      io.err(`mean score ${mean.toFixed(4)}: under up to ${low}, over from ${high}\n`);
    });
}
