import { type Command, Option } from 'commander';
import { VimanaError } from '../../base/errors.ts';
import { CheckedCommand } from '../checked-command.ts';

/** `hyperctl carbon -op status|zones|estimate|report`. */
export function carbonCommand(): Command {
  return new CheckedCommand('carbon')
    .description('what electricity emits, and what machines emit by it')
    .addOption(
      new Option('--op <operation>', 'what to do')
        .choices(['status', 'zones', 'estimate', 'report'])
        .makeOptionMandatory(),
    )
    .action(({ op }: { readonly op: string }) => {
      throw new VimanaError('NOT_BUILT', `hyperctl carbon -op ${op} is not built yet`);
    });
}
