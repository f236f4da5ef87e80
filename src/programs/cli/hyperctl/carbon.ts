import { type Command, Option } from 'commander';
import { UsageError } from '#platform/base/errors';
import { type CarbonCommandDeps, carbonCommand } from '../carbon/command.ts';

/** Builds `hyperctl carbon -op status|zones|estimate|report`, which runs the commands of `vimana carbon` by a flag. */
export function carbonCalls(parts: CarbonCommandDeps): Command {
  const carbon = carbonCommand(parts);
  const names = carbon.commands.map((command) => command.name());
  return carbon.addOption(new Option('--op <operation>', 'operation to run').choices(names)).action(() => {
    throw new UsageError('carbon needs -op', { hint: `It is one of ${names.join(', ')}.` });
  });
}
