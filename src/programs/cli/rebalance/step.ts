import type { Command } from 'commander';
import type { Planner } from '#fleet/rebalance/planner';
import { planStep } from '#fleet/rebalance/rebalancing';
import type { RebalanceDeps } from './command.ts';
import { type LoadFlags, loadOf, sub, withLoadFlags } from './load-flags.ts';
import {
  algorithmOption,
  type BoundFlags,
  boundsOf,
  type MethodFlags,
  modeOption,
  plannerOption,
  withBoundFlags,
} from './method-flags.ts';
import { formatRows, outputOption, type Row, type RowFormat } from './rows.ts';

const COLUMNS = ['vm_id', 'from_node', 'to_node', 'cpu', 'memory'];

interface StepFlags extends LoadFlags, MethodFlags, BoundFlags {
  readonly planner: Planner;
  readonly output: RowFormat;
}

/**
 * Builds `vimana rebalance step`, which prints the moves of one step. The JSON is what POST /feedback of the exporter
 * accepts.
 */
export function addStepCommand(parent: Command, { io, clock }: RebalanceDeps): void {
  withBoundFlags(withLoadFlags(sub(parent, 'step')))
    .description('show which VMs one step would migrate, and where to')
    .addOption(algorithmOption())
    .addOption(modeOption())
    .addOption(plannerOption())
    .addOption(outputOption())
    .action((flags: StepFlags) => {
      const { fleet, random } = loadOf(io, flags);
      const bounds = boundsOf(flags, 1, { io, clock, fleet, methods: [flags] });
      const { verdict, moves } = planStep(fleet, flags, bounds, random.fork('step'));
      const rows = moves.map(({ vm, from, to }): Row => {
        const { nodeCpu, nodeMemory, vmCpu, vmMemory } = fleet.sizes;
        return {
          vm_id: fleet.vms[vm]?.id ?? '',
          from_node: fleet.nodes[from]?.name ?? '',
          to_node: fleet.nodes[to]?.name ?? '',
          // The sizes are fractions of the target node.
          cpu: (vmCpu[vm] ?? 0) / (nodeCpu[to] ?? 1),
          memory: (vmMemory[vm] ?? 0) / (nodeMemory[to] ?? 1),
        };
      });
      if (flags.output === 'json') io.out(feedback(rows));
      else io.out(formatRows(rows, COLUMNS, flags.output));
      io.err(
        `${verdict.over.length} of ${fleet.nodes.length} nodes are overloaded; ${moves.length} VMs would migrate\n`,
      );
    });
}

function feedback(rows: readonly Row[]): string {
  const migrations = rows.map(({ vm_id, from_node, to_node }) => ({ vm_id, from_node, to_node }));
  return `${JSON.stringify({ migrations }, undefined, 2)}\n`;
}
