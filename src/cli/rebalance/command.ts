import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { VimanaError } from '../../base/errors.ts';
import { CheckedCommand } from '../checked-command.ts';
import type { Io } from '../io.ts';
import { addBenchmarkCommand } from './benchmark.ts';
import { addClassifyCommand } from './classify.ts';
import { addPolicyCommand } from './policy.ts';
import { addRankCommand } from './rank.ts';
import { addRulesCommand } from './rules.ts';
import { addStepCommand } from './step.ts';

export interface RebalanceParts {
  readonly io: Io;
  readonly clock: Clock;
}

/** `vimana rebalance`: try ways to rebalance machines on the same load, with no cluster at hand. */
export function rebalanceCommand(parts: RebalanceParts): Command {
  const rebalance = new CheckedCommand('rebalance').description('try ways to rebalance machines, with no cluster');
  addClassifyCommand(rebalance, parts);
  addRankCommand(rebalance, parts);
  addStepCommand(rebalance, parts);
  addBenchmarkCommand(rebalance, parts);
  addRulesCommand(rebalance, parts);
  addPolicyCommand(rebalance, parts);
  rebalance
    .command('run')
    .description('rebalance a cluster in a closed loop (not built yet)')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new VimanaError('NOT_BUILT', 'vimana rebalance run is not built yet', {
        hint: 'vimana rebalance rules and policy let kube-descheduler do it; benchmark tries methods on paper.',
      });
    });
  return rebalance;
}
