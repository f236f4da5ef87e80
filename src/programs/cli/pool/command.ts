import { type Command, InvalidArgumentError, Option } from 'commander';
import { RESTARTED_AT_ANNOTATION } from '#api/novacron/pool-words';
import { type Pool, VM_POOLS } from '#api/novacron/resources';
import { vmPool } from '#api/novacron/vm-pool';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import { CheckedCommand } from '../checked-command.ts';
import { withConnection, withConnectionFlags } from '../connection.ts';
import { FLAGS } from '../objects/flags.ts';
import { getStored, listStored, type StoredKind } from '../objects/kind-commands.ts';
import { resourceName } from '../objects/output-format.ts';
import { withFormatFlags } from '../vm/output.ts';
import type { VmDeps } from '../vm-deps.ts';
import { formatBacktest } from './backtest.ts';
import { formatForecast } from './forecast.ts';
import { formatPoolHistory, readHistory } from './history.ts';
import { revisionsOf, templateBefore } from './revisions.ts';

const POOLS: StoredKind<Pool> = { kind: vmPool, type: VM_POOLS, many: 'pools' };

/** Builds `vimana pool`, which shows, scales and updates pools of VMs. */
export function poolCommand(parts: VmDeps): Command {
  const pool = withConnectionFlags(new CheckedCommand('pool')).description('list, scale and update pools of VMs');
  withFormatFlags(pool.command('list'))
    .alias('ls')
    .description('list pools')
    .addOption(FLAGS.allNamespaces())
    .addOption(FLAGS.selector())
    .action((_flags, command: Command) => listStored(parts, command, POOLS));
  withFormatFlags(pool.command('get'))
    .description('show pools')
    .argument('<name...>')
    .action((names: string[], _flags, command: Command) => getStored(parts, command, POOLS, [...new Set(names)]));
  addChanges(pool, parts);
  addViews(pool, parts);
  return pool;
}

function addChanges(pool: Command, parts: VmDeps): void {
  const change = (
    command: Command,
    done: string,
    write: (found: Pool, client: Client, flags: object) => Promise<Pool>,
  ) =>
    command.argument('<name>').action((name: string, flags: object, self: Command) =>
      withConnection(parts.connect, self, async ({ client, namespace }) => {
        const found = await client.get(VM_POOLS, name, { namespace });
        parts.io.out(`${resourceName(await write(found, client, flags))} ${done}\n`);
      }),
    );
  change(
    pool
      .command('scale')
      .description('set the number of VMs')
      .addOption(new Option('--replicas <count>', 'number of VMs').argParser(count).makeOptionMandatory()),
    'scaled',
    async ({ metadata: { name, namespace } }, client, flags) => {
      const body = { spec: { replicas: (flags as { readonly replicas: number }).replicas } };
      await client.patch(VM_POOLS, name, { type: 'merge', body }, { namespace, subresource: 'scale' });
      return await client.get(VM_POOLS, name, { namespace });
    },
  );
  const patchSpec = ({ metadata: { name, namespace } }: Pool, client: Client, spec: object) =>
    client.patch(VM_POOLS, name, { type: 'merge', body: { spec } }, { namespace });
  change(pool.command('pause').description('stop replacing VMs after template changes'), 'paused', (found, client) =>
    patchSpec(found, client, { paused: true }),
  );
  change(pool.command('resume').description('continue to replace VMs'), 'resumed', (found, client) =>
    patchSpec(found, client, { paused: false }),
  );
  change(
    pool.command('restart').description('replace all VMs, as after a template change'),
    'restarted',
    (found, client) => {
      const annotations = { [RESTARTED_AT_ANNOTATION]: timestamp(parts.clock.now()) };
      return patchSpec(found, client, { template: { metadata: { annotations } } });
    },
  );
  change(
    pool
      .command('undo')
      .description('go back to a former template')
      .addOption(
        new Option('--to-revision <number>', 'revision to go back to (default: the previous)').argParser(count),
      ),
    'rolled back',
    async (found, client, flags) => {
      const { toRevision } = flags as { readonly toRevision?: number };
      const template = templateBefore(found, await revisionsOf(client, found), toRevision);
      const body = [{ op: 'replace', path: '/spec/template', value: template }];
      const { name, namespace } = found.metadata;
      return await client.patch(VM_POOLS, name, { type: 'json', body }, { namespace });
    },
  );
}

/** Adds the commands that print what the autoscaler of a pool knows. */
function addViews(pool: Command, parts: VmDeps): void {
  const view = (name: string, description: string, show: (found: Pool, client: Client) => Promise<string>) =>
    pool
      .command(name)
      .description(description)
      .argument('<name>')
      .action((given: string, _flags, self: Command) =>
        withConnection(parts.connect, self, async ({ client, namespace }) => {
          parts.io.out(await show(await client.get(VM_POOLS, given, { namespace }), client));
        }),
      );
  view('forecast', 'show the forecast of predictive scaling', async (found) => formatForecast(found));
  view('history', 'show the revisions of the template and the changes of the number of VMs', async (found, client) =>
    formatPoolHistory(await revisionsOf(client, found), await readHistory(client, found)),
  );
  view('backtest', 'compare all models on the recorded demand of the pool', async (found, client) =>
    formatBacktest(await readHistory(client, found), parts.random),
  );
}

function count(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of 0 or more.');
  return Number(text);
}
