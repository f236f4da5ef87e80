import type { Command } from 'commander';
import type { Clock } from '#platform/base/clock';
import { CheckedCommand } from '../checked-command.ts';
import type { Io } from '../io.ts';
import { addBenchmarkCommand } from './benchmark.ts';
import { addClassifyCommand } from './classify.ts';
import { addPolicyCommand } from './policy.ts';
import { addRankCommand } from './rank.ts';
import { addRulesCommand } from './rules.ts';
import { addRunCommand } from './run.ts';
import { addScenarioCommand } from './scenario.ts';
import { addStepCommand } from './step.ts';

/** Returns the address of the running instance's exporter. Throws if several instances run and none is selected. */
export type FindExporter = () => Promise<string | undefined>;

export interface RebalanceDeps {
  readonly io: Io;
  readonly clock: Clock;
  /** Makes Ctrl-C abort the signal instead of ending the program; a second one ends it. */
  readonly interrupted: () => AbortSignal;
  /** Finds the exporter of the instance that runs on this host; undefined if there is none. */
  readonly findExporter: FindExporter;
}

/**
 * Builds `vimana rebalance`, which compares ways to rebalance VMs on the same load without a cluster, and applies one
 * to a cluster.
 */
export function rebalanceCommand(parts: RebalanceDeps): Command {
  const rebalance = new CheckedCommand('rebalance').description(
    'compare ways to rebalance VMs, and rebalance a cluster',
  );
  addClassifyCommand(rebalance, parts);
  addRankCommand(rebalance, parts);
  addStepCommand(rebalance, parts);
  addBenchmarkCommand(rebalance, parts);
  addScenarioCommand(rebalance, parts);
  addRulesCommand(rebalance, parts);
  addPolicyCommand(rebalance, parts);
  addRunCommand(rebalance, parts);
  return rebalance;
}
