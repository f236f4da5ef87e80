import type { Command } from 'commander';
import { ALGORITHMS, type Algorithm } from '#fleet/rebalance/algorithms';
import type { RebalanceDeps } from './command.ts';
import { type LoadFlags, loadOf, someOption, sub, withLoadFlags } from './load-flags.ts';
import { formatRows, outputOption, type Row, type RowFormat } from './rows.ts';

const COLUMNS = ['algorithm', 'rank', 'node', 'score'];
const SAME = 1e-9;

/** Builds `vimana rebalance rank`, which shows how algorithms rank the nodes. */
export function addRankCommand(parent: Command, { io }: RebalanceDeps): void {
  withLoadFlags(sub(parent, 'rank'))
    .description('rank nodes by load with each algorithm, the most loaded first')
    .addOption(someOption('--algorithm <names>', ALGORITHMS))
    .addOption(outputOption())
    .action((flags: LoadFlags & { readonly algorithm: readonly Algorithm[]; readonly output: RowFormat }) => {
      const { fleet } = loadOf(io, flags);
      const load = fleet.load();
      const names = fleet.nodes.map(({ name }) => name);
      const rows = flags.algorithm.flatMap((algorithm) => rankNodes(algorithm.id, names, algorithm.score(load)));
      io.out(formatRows(rows, COLUMNS, flags.output));
    });
}

/** Ranks nodes. Nodes of equal score share a rank. */
function rankNodes(algorithm: string, names: readonly string[], scores: Float64Array): Row[] {
  const order = names.map((node, at) => ({ node, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score);
  let rank = 1;
  return order.map(({ node, score }, at) => {
    const before = order[at - 1]?.score;
    if (before === undefined || before - score > SAME) rank = at + 1;
    return { algorithm, rank, node, score };
  });
}
