import type { Command } from 'commander';
import { OPERATIONS } from '#api/hypersdk/operation-resources';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { withConnection } from '../connection.ts';
import { formatManifest } from '../objects/format-manifest.ts';
import type { Format } from '../objects/output-format.ts';
import { SNAPSHOTS } from '../snapshot/command.ts';
import { TEMPLATES } from '../template/command.ts';
import { summaryOf } from '../vm/summary.ts';
import { vmTypes } from '../vm/vm-kinds.ts';
import type { VmDeps } from '../vm-deps.ts';

type Counts = Readonly<Record<string, number>>;

/** Number of objects of each kind, by state. */
export interface HyperctlStatus {
  readonly server: string;
  readonly namespace: string;
  readonly machines: Counts;
  readonly templates: Counts;
  readonly snapshots: Counts;
  readonly operations: Counts;
}

/** Shows `-op status`: a summary of a cluster, or of one of its namespaces. */
export async function showHyperctlStatus(parts: VmDeps, command: Command): Promise<void> {
  const { output, allNamespaces } = command.optsWithGlobals<{ output?: Format; allNamespaces?: boolean }>();
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const standing = await fetchHyperctlStatus(client, allNamespaces === true ? undefined : namespace);
    parts.io.out(output === 'json' || output === 'yaml' ? formatManifest(standing, output) : formatStatus(standing));
  });
}

async function fetchHyperctlStatus(client: Client, namespace: string | undefined): Promise<HyperctlStatus> {
  const scope = namespace === undefined ? {} : { namespace };
  const [version, machines, templates, snapshots, operations] = await Promise.all([
    client.raw('/version'),
    machinesIn(client, scope),
    ignoreNotFound(client.list(TEMPLATES.type, scope)),
    ignoreNotFound(client.list(SNAPSHOTS.type, scope)),
    ignoreNotFound(client.list(OPERATIONS, scope)),
  ]);
  return {
    server: (JSON.parse(version) as { readonly gitVersion?: string }).gitVersion ?? '',
    namespace: namespace ?? '',
    machines: countStates(machines.map((machine) => summaryOf(machine, undefined).status)),
    templates: countStates(
      (templates?.items ?? []).map(({ status }) => (status?.ready === true ? 'Ready' : 'NotReady')),
    ),
    snapshots: countStates((snapshots?.items ?? []).map(({ status }) => status?.phase ?? 'Pending')),
    operations: countStates((operations?.items ?? []).map(({ status }) => status?.phase ?? 'Pending')),
  };
}

async function machinesIn(client: Client, scope: { readonly namespace?: string }) {
  const types = await vmTypes(client, undefined);
  const lists = await Promise.all(types.map((type) => client.list(type, scope)));
  return lists.flatMap(({ items }) => items);
}

function countStates(states: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const state of states.toSorted()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Formats the status for people. */
function formatStatus({ server, namespace, ...kinds }: HyperctlStatus): string {
  const rows = [
    ['server', server],
    ['namespace', namespace || 'all'],
    ...Object.entries(kinds).map(
      ([kind, counts]) => [kind === 'machines' ? 'VMs' : kind, formatCounts(counts)] as const,
    ),
  ] as const;
  return rows.map(([word, text]) => `${`${word}:`.padEnd(12)} ${text}\n`).join('');
}

function formatCounts(counts: Counts): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const states = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
  return total === 0 ? 'none' : `${total} (${states.join(', ')})`;
}
