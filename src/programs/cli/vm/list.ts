import type { Command } from 'commander';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { UsageError } from '#platform/base/errors';
import type { Client, ListOptions } from '#platform/kube/client';
import { instancesByOwner } from '#vm/view/instance-owner';
import { compareVms } from '#vm/view/vm-summary';
import { withConnection } from '../connection.ts';
import { eachOf } from '../objects/each.ts';
import { FLAGS } from '../objects/flags.ts';
import type { Format } from '../objects/output-format.ts';
import type { VmDeps } from '../vm-deps.ts';
import { type FilterFlags, filterOf, type Keeps } from './filter.ts';
import { findVm, instanceOf } from './find.ts';
import { follow } from './follow.ts';
import { formatShown, type OutputFlags, withFormatFlags } from './output.ts';
import { summaryOf } from './summary.ts';
import { type CliVm, type VmType, vmTypes } from './vm-kinds.ts';

interface ListFlags extends FilterFlags {
  /** Output format. Defaults to a table. */
  readonly output?: Format;
  readonly group?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
  readonly showManagedFields?: boolean;
}

/** Adds `vm list` and `vm get`, which show VMs of all groups side by side. */
export function addListCommands(vm: Command, parts: VmDeps): void {
  withFormatFlags(vm.command('list'))
    .alias('ls')
    .description('list VMs of every API group')
    .addOption(FLAGS.allNamespaces())
    .addOption(FLAGS.selector())
    .option('--field-selector <fields>', 'only VMs that match this field selector')
    .addOption(FLAGS.status())
    .addOption(FLAGS.node())
    .addOption(FLAGS.minCpus())
    .addOption(FLAGS.minMemory())
    .addOption(FLAGS.watch())
    .action((_flags, command: Command) => showVms(parts, command, []));
  withFormatFlags(vm.command('get'))
    .description('show VMs')
    .argument('<name...>')
    .addOption(FLAGS.watch())
    .action((names: string[], _flags, command: Command) => showVms(parts, command, [...new Set(names)]));
}

/** Prints the VMs with these names, or all that the flags select. */
export async function showVms(parts: VmDeps, command: Command, names: readonly string[]): Promise<void> {
  const flags = command.optsWithGlobals<ListFlags>();
  const keeps = filterOf(flags);
  const {
    output: format = 'table',
    allNamespaces: namespaces = false,
    showManagedFields: managedFields = false,
  } = flags;
  if (flags.watch === true && (format === 'json' || format === 'yaml')) {
    throw new UsageError(`--watch cannot be used with -o ${format}`, { hint: 'Omit -o, or use wide or name.' });
  }
  if (flags.watch === true && names.length > 1) {
    throw new UsageError('--watch takes one VM or a list', { hint: 'For example: vimana vm list --watch -l app=web' });
  }
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const scope: ListOptions = {
      ...(namespaces ? {} : { namespace }),
      ...(flags.selector === undefined ? {} : { labelSelector: flags.selector }),
      ...(flags.fieldSelector === undefined ? {} : { fieldSelector: flags.fieldSelector }),
    };
    const showing = (): OutputFlags => ({
      ...{ format, namespaces, managedFields },
      now: parts.clock.now(),
      colors: parts.io.colors?.out,
    });
    const find = (name: string) => findVm(client, name, namespace, flags.group);
    const [first] = names;
    if (flags.watch === true) {
      const found = first === undefined ? undefined : await find(first);
      const types = found === undefined ? await vmTypes(client, flags.group) : [found.type];
      const one = found === undefined ? {} : { fieldSelector: `metadata.name=${found.machine.metadata.name ?? ''}` };
      await follow(parts, { client, types, scope: { ...scope, ...one }, showing, keeps });
      return;
    }
    if (first !== undefined) {
      const found = await eachOf(parts.io, names, async (name) => {
        const each = await find(name);
        return { machine: each.machine, instance: await instanceOf(client, each) };
      });
      if (found.done.length > 0) parts.io.out(formatShown(found.done, showing(), { single: names.length === 1 }));
      found.finish();
      return;
    }
    const machines = await listVms(client, await vmTypes(client, flags.group), scope, keeps);
    if (machines.length === 0 && (format === 'table' || format === 'wide')) {
      parts.io.err(namespaces ? 'No VMs found.\n' : `No VMs found in namespace ${namespace}.\n`);
      return;
    }
    parts.io.out(formatShown(machines, showing(), { single: false }));
  });
}

async function listVms(
  client: Client,
  types: readonly VmType[],
  { namespace, ...selection }: ListOptions,
  keeps: Keeps,
): Promise<{ machine: CliVm; instance: Vmi | undefined }[]> {
  const scope = namespace === undefined ? {} : { namespace };
  const [instances, ...lists] = await Promise.all([
    client.list(VMIS, scope),
    ...types.map((type) => client.list(type, { ...scope, ...selection })),
  ]);
  const byOwner = instancesByOwner(instances.items);
  return lists
    .flatMap(({ items }) => items)
    .toSorted(compareVms)
    .map((machine) => ({ machine, instance: byOwner.get(machine.metadata.uid ?? '') }))
    .filter(({ machine, instance }) => keeps(summaryOf(machine, instance)));
}
