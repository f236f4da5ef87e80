import type { Command } from 'commander';
import type { Clock } from '#platform/base/clock';
import { CheckedCommand } from '../checked-command.ts';
import { type Connect, withConnectionFlags } from '../connection.ts';
import type { Io } from '../io.ts';
import { showEstimate, withEstimateFlags } from './estimate.ts';
import { carbonContradictions, withCarbonFlags } from './flags.ts';
import { withOutputFlag } from './output.ts';
import { showReport } from './report.ts';
import { showStatus } from './status.ts';
import { showZones } from './zones.ts';

export interface CarbonCommandDeps {
  readonly io: Io;
  readonly connect: Connect;
  readonly clock: Clock;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}

/** Builds `vimana carbon`, which shows carbon intensity, the VMs that wait for it, and their emissions. */
export function carbonCommand(parts: CarbonCommandDeps): Command {
  const carbon = withCarbonFlags(withConnectionFlags(new CheckedCommand('carbon')))
    .description('how clean electricity is, which machines wait for it, and what they emit')
    .refuses(carbonContradictions);
  withOutputFlag(carbon.command('status'))
    .description('which machines heed electricity, and what they wait for')
    .option('-A, --all-namespaces', 'of all namespaces')
    .action((_flags, command: Command) => showStatus(parts, command));
  withOutputFlag(carbon.command('zones'))
    .description('grid zones that the provider knows')
    .option('--zone <zone>', 'this one alone, with what is foretold')
    .action((_flags, command: Command) => showZones(parts, command));
  withEstimateFlags(withOutputFlag(carbon.command('estimate')))
    .description('what a run would emit now, and when it would emit least')
    .action((_flags, command: Command) => showEstimate(parts, command));
  withOutputFlag(carbon.command('report'))
    .description('what machines of hypersdk.io have emitted, and what waiting has saved')
    .option('-A, --all-namespaces', 'of all namespaces')
    .action((_flags, command: Command) => showReport(parts, command));
  return carbon;
}
