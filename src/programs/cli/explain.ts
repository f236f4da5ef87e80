import { type Command, Option } from 'commander';
import { CREATED_BY_LABEL } from '#api/launcher';
import { VM_POOLS } from '#api/novacron/resources';
import { UsageError, VimanaError } from '#platform/base/errors';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import type { PodExplanation } from '#platform/kube/kinds/pod-explanation';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { CheckedCommand } from './checked-command.ts';
import { type Connect, withConnection, withConnectionFlags } from './connection.ts';
import { formatExplanation } from './format-explanation.ts';
import type { Io } from './io.ts';
import { explainPool } from './pool/explain.ts';
import { readHistory } from './pool/history.ts';
import { type FoundVm, findVm, instanceOf } from './vm/find.ts';
import { VM_GROUPS } from './vm-groups.ts';

const PATH = '/apis/scheduling.vimana.io/v1alpha1/namespaces';

interface ExplainFlags {
  readonly all?: boolean;
  readonly output: 'text' | 'json';
  readonly group?: string;
}

/** Finds the recorded attempts to schedule what a name stands for. */
type Find = (client: Client, namespace: string, name: string, flags: ExplainFlags) => Promise<PodExplanation>;

/** Builds `vimana explain`, which shows the scheduler's decision about a VM or a pod, node by node. */
export function explainCommand(io: Io, connect: Connect): Command {
  const explain = new CheckedCommand('explain')
    .description('explain why a VM or a pod runs where it runs, or nowhere')
    .allowExcessArguments()
    .action((_flags, command: Command) => {
      const [name] = command.args;
      if (name === undefined) command.help();
      throw new UsageError(`explain ${name}: say whether ${name} is a VM or a pod`, {
        hint: `For example: vimana explain vm ${name}`,
      });
    });
  const add = (kind: string, description: string, find: Find) =>
    withConnectionFlags(explain.command(kind))
      .description(description)
      .argument('<name>')
      .option('--all', 'show every recorded attempt, not only the last')
      .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
      .action((name: string, flags: ExplainFlags, command: Command) =>
        withConnection(connect, command, async ({ client, namespace }) => {
          const { attempts } = await find(client, namespace, name, flags);
          const shown = flags.all === true ? attempts : attempts.slice(-1);
          const text = shown.map(formatExplanation).join('\n');
          io.out(flags.output === 'json' ? `${JSON.stringify(shown, undefined, 2)}\n` : text);
        }),
      );
  add('vm', 'explain why the scheduler chose the node of a VM, or found none', explainedVm).addOption(
    new Option('-g, --group <group>', 'API group of the VM').choices([...VM_GROUPS]),
  );
  add(
    'pod',
    'explain why the scheduler chose the node of a pod, or found none; also takes the name of a VM',
    explainedPod,
  );
  withConnectionFlags(explain.command('pool'))
    .description('explain how many VMs a pool should have: by metric, window, policy and bound')
    .argument('<name>')
    .action((name: string, _flags, command: Command) =>
      withConnection(connect, command, async ({ client, namespace }) => {
        const pool = await client.get(VM_POOLS, name, { namespace });
        io.out(explainPool(pool, await readHistory(client, pool)));
      }),
    );
  return explain;
}

const explainedVm: Find = async (client, namespace, name, { group }) => {
  const found = await findVm(client, name, namespace, group);
  return explainedLauncher(client, namespace, found);
};

/** Takes a VM for its pod if no pod has the name: people know the names of their VMs. */
const explainedPod: Find = async (client, namespace, name, flags) => {
  const known = await explanationOf(client, namespace, name);
  if (known !== undefined) return known;
  if ((await ignoreNotFound(client.get(PODS, name, { namespace }))) !== undefined)
    throw noAttemptError(namespace, name);
  const found = await findVm(client, name, namespace, flags.group).catch((error: unknown) => {
    if (error instanceof VimanaError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  if (found !== undefined) return await explainedLauncher(client, namespace, found);
  throw new VimanaError('NOT_FOUND', `neither a pod nor a VM "${namespace}/${name}" is known`, {
    hint: 'List VMs with vimana vm list -A, and pods with kubectl get pods -A.',
  });
};

async function explainedLauncher(client: Client, namespace: string, found: FoundVm): Promise<PodExplanation> {
  const { name = '' } = found.machine.metadata;
  const instance = await instanceOf(client, found);
  if (instance === undefined) throw notStarted(namespace, found);
  const labelSelector = `${CREATED_BY_LABEL}=${instance.metadata.uid}`;
  const { items } = await client.list(PODS, { namespace, labelSelector });
  // While a VM migrates, its latest pod is that of the target.
  const createdAt = ({ metadata }: (typeof items)[number]) => Date.parse(metadata.creationTimestamp ?? '');
  const pod = items.toSorted((a, b) => createdAt(b) - createdAt(a))[0]?.metadata.name;
  if (pod === undefined) {
    throw new VimanaError(
      'NOT_FOUND',
      `VM "${namespace}/${name}" has no pod yet: its instance is ${instance.status?.phase ?? 'Pending'}`,
      {
        hint: `See why: vimana vm describe ${name}`,
      },
    );
  }
  const known = await explanationOf(client, namespace, pod);
  if (known === undefined) throw noAttemptError(namespace, pod);
  return known;
}

/** Returns the error for a VM without an instance, with what its conditions say. */
function notStarted(namespace: string, { machine }: FoundVm): VimanaError {
  const { name = '' } = machine.metadata;
  const { conditions = [] } = (machine['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
  const reason = conditions.find(({ type, message = '' }) => type === 'Failure' && message !== '')?.message;
  const why = reason ?? conditions.find(({ type, message = '' }) => type === 'Ready' && message !== '')?.message;
  return new VimanaError(
    'NOT_FOUND',
    `VM "${namespace}/${name}" is not running${why === undefined ? '' : `: ${why}`}`,
    {
      hint: `Nothing is scheduled for it. See vimana vm describe ${name}, or start it: vimana vm start ${name}`,
    },
  );
}

interface Condition {
  readonly type?: string;
  readonly message?: string;
}

async function explanationOf(client: Client, namespace: string, name: string): Promise<PodExplanation | undefined> {
  const path = `${PATH}/${namespace}/podexplanations/${name}`;
  const response = await ignoreNotFound(client.request({ method: 'GET', path }));
  return response?.body as PodExplanation | undefined;
}

function noAttemptError(namespace: string, pod: string): VimanaError {
  return new VimanaError('NOT_FOUND', `no scheduling attempt for pod "${namespace}/${pod}" is recorded`, {
    hint: 'Only the scheduler of vimana up records attempts, and only the latest since its start.',
  });
}
