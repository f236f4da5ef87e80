import type { Command } from 'commander';
import type { Clock } from '#platform/base/clock';
import { CheckedCommand } from '../checked-command.ts';
import { type Connect, withConnectionFlags } from '../connection.ts';
import type { Io } from '../io.ts';
import { showEstimate, withEstimateFlags } from './estimate.ts';
import { carbonContradictions, withCarbonFlags } from './flags.ts';
import { withOutputFlag } from './output.ts';
import { showReport } from './report.ts';
import { showCarbonStatus } from './status.ts';
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
    .description('show carbon intensity, the VMs that wait for it to drop, and their emissions')
    .refuses(carbonContradictions);
  withOutputFlag(carbon.command('status'))
    .description('show carbon-aware VMs, and what they wait for')
    .option('-A, --all-namespaces', 'include all namespaces')
    .action((_flags, command: Command) => showCarbonStatus(parts, command));
  withOutputFlag(carbon.command('zones'))
    .description('show the grid zones of the provider')
    .option('--zone <zone>', 'show only this zone, with its forecast')
    .action((_flags, command: Command) => showZones(parts, command));
  withEstimateFlags(withOutputFlag(carbon.command('estimate')))
    .description('estimate the emissions of a run now, and find the start time with the lowest')
    .action((_flags, command: Command) => showEstimate(parts, command));
  withOutputFlag(carbon.command('report'))
    .description('report the emissions of hypersdk.io VMs, and how much waiting has saved')
    .option('-A, --all-namespaces', 'include all namespaces')
    .action((_flags, command: Command) => showReport(parts, command));
  return carbon;
}
