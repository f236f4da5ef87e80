import { type Command, Option } from 'commander';
import { type Snapshot, VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { CheckedCommand } from '../checked-command.ts';
import { withConnection, withConnectionFlags } from '../connection.ts';
import { assertValid } from '../objects/assert-valid.ts';
import { createStored } from '../objects/create-stored.ts';
import { FLAGS } from '../objects/flags.ts';
import { deleteStored, listStored, type StoredKind } from '../objects/kind-commands.ts';
import { resourceName } from '../objects/output-format.ts';
import { newSnapshot, type SnapshotFlags } from '../objects/snapshot.ts';
import { type WaitFlags, withWaitFlags } from '../objects/wait.ts';
import { SNAPSHOT_END, waitForCompletion } from '../objects/wait-for-completion.ts';
import { findVm } from '../vm/find.ts';
import { withFormatFlags } from '../vm/output.ts';
import type { VmDeps } from '../vm-deps.ts';

export const SNAPSHOTS: StoredKind<Snapshot> = {
  kind: vmSnapshot,
  type: VM_SNAPSHOTS,
  many: 'snapshots',
};

/** Builds `vimana snapshot`, which manages snapshots of VMs of every API group. */
export function snapshotCommand(parts: VmDeps): Command {
  const snapshot = withConnectionFlags(new CheckedCommand('snapshot')).description('take, list and delete snapshots');
  withWaitFlags(snapshot.command('create'))
    .description('take a snapshot of a VM')
    .argument('<vm>')
    .argument('[name]', 'name of the snapshot (default: generated)')
    .addOption(FLAGS.group())
    .addOption(FLAGS.includeMemory())
    .addOption(FLAGS.quiesce())
    .addOption(FLAGS.description())
    .addOption(FLAGS.keepDays())
    .addOption(FLAGS.keepCount())
    .addOption(FLAGS.expiresAt())
    .action((machine: string, name: string | undefined, flags: SnapshotFlags & WaitFlags, command: Command) =>
      create(parts, command, machine, name === undefined ? flags : { ...flags, snapshot: name }),
    );
  withFormatFlags(snapshot.command('list'))
    .alias('ls')
    .description('list snapshots')
    .addOption(new Option('--vm <name>', 'only snapshots of this VM'))
    .addOption(FLAGS.group())
    .addOption(FLAGS.allNamespaces())
    .addOption(FLAGS.selector())
    .action((flags: Of, command: Command) => listSnapshots(parts, command, flags));
  snapshot
    .command('delete')
    .description('delete snapshots; later snapshots that build on them stay usable')
    .argument('<name...>')
    .action((names: string[], _flags, command: Command) =>
      deleteStored(parts, command, SNAPSHOTS, [...new Set(names)]),
    );
  return snapshot;
}

/** VM whose snapshots are meant. VMs of several groups may have the same name. */
interface Of {
  readonly vm?: string;
  readonly group?: string;
}

/** Lists the snapshots of all VMs, of one VM, or of the VMs of a group. */
export function listSnapshots(parts: VmDeps, command: Command, { vm, group }: Of): Promise<void> {
  return listStored(
    parts,
    command,
    SNAPSHOTS,
    ({ spec: { vmRef } }) =>
      (vm === undefined || vmRef.name === vm) &&
      (group === undefined || (vmRef.apiGroup || vmSnapshot.group) === group),
  );
}

async function create(
  parts: VmDeps,
  command: Command,
  given: string,
  { wait, timeout, ...flags }: SnapshotFlags & WaitFlags & { readonly group?: string },
): Promise<void> {
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const { type, machine } = await findVm(client, given, namespace, flags.group);
    const { name: vm = '' } = machine.metadata;
    const object = assertValid(newSnapshot({ vm, group: type.group, namespace }, flags, parts.random));
    const made = await createStored(client, SNAPSHOTS.type, object, namespace);
    parts.io.out(`${resourceName(made)} created\n`);
    if (wait === true)
      await waitForCompletion(
        { ...parts, client },
        SNAPSHOT_END,
        { machine: vm, name: made.metadata.name, namespace },
        timeout,
      );
  });
}
