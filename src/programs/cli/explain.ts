import { type Command, Option } from 'commander';
import { VimanaError } from '#platform/base/errors';
import type { PodExplanation } from '#platform/kube/kinds/pod-explanation';
import { isNotFound } from '#platform/kube/kube-error';
import { CheckedCommand } from './checked-command.ts';
import { type Connect, withConnection, withConnectionFlags } from './connection.ts';
import { formatExplanation } from './format-explanation.ts';
import type { Io } from './io.ts';

const PATH = '/apis/scheduling.vimana.io/v1alpha1/namespaces';

/** Builds `vimana explain pod NAME`, which shows the scheduler's decision about a pod, node by node. */
export function explainCommand(io: Io, connect: Connect): Command {
  const explain = new CheckedCommand('explain').description('explain decisions of vimana up');
  withConnectionFlags(explain.command('pod'))
    .description('explain why the scheduler chose the node of a pod, or found none')
    .argument('<name>')
    .option('--all', 'show every recorded attempt, not only the last')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action((name: string, flags: { all?: boolean; output: string }, command: Command) =>
      withConnection(connect, command, async ({ client, namespace }) => {
        const path = `${PATH}/${namespace}/podexplanations/${name}`;
        const response = await client.request({ method: 'GET', path }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
          throw new VimanaError('NOT_FOUND', `no scheduling attempt for pod "${namespace}/${name}" is recorded`, {
            hint: 'Only the scheduler of vimana up records attempts, and only the latest since its start.',
          });
        });
        const { attempts } = response.body as PodExplanation;
        const shown = flags.all === true ? attempts : attempts.slice(-1);
        io.out(
          flags.output === 'json'
            ? `${JSON.stringify(shown, undefined, 2)}\n`
            : shown.map(formatExplanation).join('\n'),
        );
      }),
    );
  return explain;
}
