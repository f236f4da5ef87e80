import type { Command } from 'commander';
import { OPERATIONS, type Operation } from '#api/hypersdk/operation-resources';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import type { Client } from '#platform/kube/client';
import { ignoreNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { registrationOf } from '#vm/dialects/dialect-of';
import type { VmMedia } from '#vm/dialects/registration';
import { ageOf, type VmSummary } from '#vm/view/vm-summary';
import { withConnection } from '../connection.ts';
import { formatTable } from '../format-table.ts';
import { eachOf } from '../objects/each.ts';
import { kindTable } from '../objects/kind-table.ts';
import type { VmDeps } from '../vm-deps.ts';
import { EVENT_HEADINGS, type Event, eventRow, eventsOf } from './events.ts';
import { type FoundVm, findVm, instanceOf } from './find.ts';
import { summaryOf } from './summary.ts';

/** Everything that is shown about a VM. */
export interface VmDescription {
  readonly summary: VmSummary;
  readonly machine: KubeObject;
  readonly snapshots: readonly Snapshot[];
  readonly operations: readonly Operation[];
  readonly events: readonly Event[];
  readonly now: number;
}

/** Adds `vm describe`, which shows a VM with its conditions, snapshots, operations and events. */
export function addDescribeCommand(vm: Command, parts: VmDeps): void {
  vm.command('describe')
    .description('show details of VMs: conditions, snapshots, operations, events')
    .argument('<name...>')
    .action((names: string[], _flags, command: Command) => describeVms(parts, command, [...new Set(names)]));
}

export async function describeVms(parts: VmDeps, command: Command, names: readonly string[]): Promise<void> {
  const { group } = command.optsWithGlobals<{ group?: string }>();
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const shown = await eachOf(parts.io, names, async (name) => {
      const found = await findVm(client, name, namespace, group);
      return descriptionOf(await describeVm(client, found, namespace, parts.clock.now()));
    });
    if (shown.done.length > 0) parts.io.out(shown.done.join('\n'));
    shown.finish();
  });
}

async function describeVm(client: Client, found: FoundVm, namespace: string, now: number): Promise<VmDescription> {
  const about = ({ spec }: Operation | Snapshot) => {
    const { name, namespace: elsewhere = namespace, apiGroup = '' } = spec.vmRef;
    const group = apiGroup || vmOperation.group;
    return name === found.machine.metadata.name && elsewhere === namespace && group === found.type.group;
  };
  const [instance, snapshots, operations, events] = await Promise.all([
    instanceOf(client, found),
    ignoreNotFound(client.list(VM_SNAPSHOTS, { namespace })),
    ignoreNotFound(client.list(OPERATIONS, { namespace })),
    eventsOf(client, found, namespace),
  ]);
  return {
    summary: summaryOf(found.machine, instance),
    machine: found.machine,
    snapshots: (snapshots?.items ?? []).filter(about).toSorted(byAge),
    operations: (operations?.items ?? []).filter(about).toSorted(byAge),
    events,
    now,
  };
}

const byAge = (a: KubeObject, b: KubeObject) =>
  Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? '');

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Formats the description of a VM for people. */
function descriptionOf({ summary, machine, snapshots, operations, events, now }: VmDescription): string {
  const { name, namespace, group, status, node, ip, cpus, memory } = summary;
  const labels = Object.entries(machine.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const { image, template, disks } = mediaOf(group, machine);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', name],
    ['Namespace', namespace],
    ['Group', group],
    ['Labels', labels.join(', ')],
    ['Age', ageOf(summary, now)],
    ['Status', status],
    ['Node', node],
    ['Address', ip],
    ['CPUs', cpus],
    ['Memory', memory],
    ['Image', image],
    ['Template', template],
    ...disks.map(
      (disk) =>
        [`Disk ${disk.name}`, [disk.size, disk.storageClass].filter((each) => each !== undefined).join(', ')] as const,
    ),
  ];
  const widest = Math.max(...facts.map(([word]) => word.length)) + 1;
  const lines = facts.map(([word, value]) => `${`${word}:`.padEnd(widest + 1)} ${value || '<none>'}\n`).join('');
  const { conditions = [] } = (machine['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
  return [
    lines,
    section('Conditions', conditions, () =>
      formatTable(
        ['TYPE', 'STATUS', 'REASON', 'MESSAGE'],
        conditions.map(({ type = '', status: holds = '', reason = '', message = '' }) => [
          type,
          holds,
          reason,
          message,
        ]),
      ),
    ),
    section('Snapshots', snapshots, () =>
      kindTable(snapshots, { kind: vmSnapshot, now, wide: false, namespaces: false }),
    ),
    section('Operations', operations, () =>
      kindTable(operations, { kind: vmOperation, now, wide: false, namespaces: false }),
    ),
    section('Events', events, () =>
      formatTable(
        EVENT_HEADINGS,
        events.map((event) => eventRow(event, now)),
      ),
    ),
  ].join('');
}

function mediaOf(group: string, machine: KubeObject): VmMedia {
  return registrationOf(group).mediaOf?.(machine['spec'] ?? {}) ?? { disks: [] };
}

function section(title: string, rows: readonly unknown[], text: () => string): string {
  if (rows.length === 0) return `${title}: <none>\n`;
  return `${title}:\n${text().replaceAll(/^(?=.)/gm, '  ')}`;
}
