import type { Command } from 'commander';
import { seededRandom } from '#platform/base/random';
import type { RebalanceDeps } from './command.ts';
import { type GeneratedLoadFlags, generateLoad, sub, withGeneratedLoadFlags } from './load-flags.ts';

/**
 * Builds `vimana rebalance scenario`, which prints a generated load as a file for the exporter and the other commands.
 */
export function addScenarioCommand(parent: Command, { io }: RebalanceDeps): void {
  withGeneratedLoadFlags(sub(parent, 'scenario'))
    .description('print a generated load, for --scenario and for POST /scenario of the exporter')
    .action((flags: GeneratedLoadFlags) => {
      const { name, nodes } = generateLoad(flags, seededRandom(flags.seed));
      io.out(`${JSON.stringify({ [name]: nodes }, undefined, 2)}\n`);
    });
}
