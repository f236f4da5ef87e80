import type { Command } from 'commander';
import { seededRandom } from '#platform/base/random';
import type { RebalanceParts } from './command.ts';
import { generated, type MadeLoadFlags, sub, withMadeLoadFlags } from './load-flags.ts';

/** `vimana rebalance scenario`: a load that is made up, as a file for the exporter and for the other commands. */
export function addScenarioCommand(parent: Command, { io }: RebalanceParts): void {
  withMadeLoadFlags(sub(parent, 'scenario'))
    .description('print a load that is made up, for --scenario and for POST /scenario of the exporter')
    .action((flags: MadeLoadFlags) => {
      const { name, nodes } = generated(flags, seededRandom(flags.seed));
      io.out(`${JSON.stringify({ [name]: nodes }, undefined, 2)}\n`);
    });
}
