import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import type { Client, ListOptions } from '../../kube/client.ts';
import { VMIS, type Vmi } from '../../kube/kinds/machines.ts';
import { connected } from '../connection.ts';
import { lineOf } from '../table-text.ts';
import type { VmParts } from './command.ts';
import { findMachine, instanceOf } from './find.ts';
import { type Machine, type MachineType, machineTypes } from './machine-kinds.ts';
import { type Format, formatOption, headingsOf, rowOf, type Showing, shownText } from './output.ts';
import { instancesByOwner, ownerOf, summaryOf } from './summary.ts';

interface ListFlags {
  readonly output: Format;
  readonly group?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
}

/** `vm list` and `vm get`: machines of all groups side by side. */
export function addListCommands(vm: Command, parts: VmParts): void {
  vm.command('list')
    .alias('ls')
    .description('list machines of every group')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-l, --selector <labels>', 'only those with these labels')
    .option('--field-selector <fields>', 'only those with these fields')
    .option('-w, --watch', 'go on, and print each change')
    .addOption(formatOption())
    .action((_flags, command: Command) => show(parts, command, undefined));
  vm.command('get')
    .description('show one machine')
    .argument('<name>')
    .option('-w, --watch', 'go on, and print each change')
    .addOption(formatOption())
    .action((name: string, _flags, command: Command) => show(parts, command, name));
}

async function show(parts: VmParts, command: Command, name: string | undefined): Promise<void> {
  const flags = command.optsWithGlobals<ListFlags>();
  if (flags.watch === true && (flags.output === 'json' || flags.output === 'yaml')) {
    throw new UsageError(`--watch prints rows, not ${flags.output}`, { hint: 'Leave out -o, or take wide or name.' });
  }
  await connected(parts.connect, command, async ({ client, namespace }) => {
    const scope: ListOptions = {
      ...(flags.allNamespaces === true ? {} : { namespace }),
      ...(flags.selector === undefined ? {} : { labelSelector: flags.selector }),
      ...(flags.fieldSelector === undefined ? {} : { fieldSelector: flags.fieldSelector }),
      ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    };
    const showing = (): Showing => ({
      format: flags.output,
      namespaces: flags.allNamespaces === true,
      now: parts.clock.now(),
    });
    if (flags.watch === true) {
      if (name !== undefined) await findMachine(client, name, namespace, flags.group);
      await follow(parts, client, await machineTypes(client, flags.group), scope, showing);
      return;
    }
    if (name !== undefined) {
      const found = await findMachine(client, name, namespace, flags.group);
      const instance = await instanceOf(client, found);
      parts.io.out(shownText([{ machine: found.machine, instance }], showing(), { single: true }));
      return;
    }
    const machines = await listed(client, await machineTypes(client, flags.group), scope);
    if (machines.length === 0 && (flags.output === 'table' || flags.output === 'wide')) {
      parts.io.err(
        flags.allNamespaces === true ? 'No machines found.\n' : `No machines found in the namespace ${namespace}.\n`,
      );
      return;
    }
    parts.io.out(shownText(machines, showing(), { single: false }));
  });
}

async function listed(
  client: Client,
  types: readonly MachineType[],
  { namespace, ...selection }: ListOptions,
): Promise<{ machine: Machine; instance: Vmi | undefined }[]> {
  const scope = namespace === undefined ? {} : { namespace };
  const [instances, ...lists] = await Promise.all([
    client.list(VMIS, scope),
    ...types.map((type) => client.list(type, { ...scope, ...selection })),
  ]);
  const byOwner = instancesByOwner(instances.items);
  return lists
    .flatMap(({ items }) => items)
    .toSorted((a, b) => compare(placeOf(a), placeOf(b)))
    .map((machine) => ({ machine, instance: byOwner.get(machine.metadata.uid ?? '') }));
}

/** Prints a row for every machine that is there, and another for each change of what the row says. */
async function follow(
  { io, signal }: VmParts,
  client: Client,
  types: readonly MachineType[],
  scope: ListOptions,
  showing: () => Showing,
): Promise<void> {
  const machines = new Map<string, Machine>();
  const instances = new Map<string, Vmi>();
  const printed = new Map<string, string>();
  const headings = headingsOf(showing());
  const widths = headings.map((heading) => Math.max(heading.length, 12));
  if (showing().format !== 'name') io.out(lineOf(headings, widths));
  const print = (machine: Machine) => {
    const uid = machine.metadata.uid ?? '';
    const summary = summaryOf(machine, instances.get(uid));
    const seen = JSON.stringify(summary);
    if (printed.get(uid) === seen) return;
    printed.set(uid, seen);
    io.out(lineOf(rowOf(summary, showing()), widths));
  };
  const { namespace } = scope;
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const watchMachines = async (type: MachineType) => {
    for await (const { type: change, object } of client.watch(type, { ...scope, signal: ended })) {
      if (change === 'BOOKMARK') continue;
      const uid = object.metadata.uid ?? '';
      if (change === 'DELETED') machines.delete(uid);
      else machines.set(uid, object);
      if (change !== 'DELETED') print(object);
    }
  };
  const watchInstances = async () => {
    for await (const { type: change, object } of client.watch(VMIS, {
      ...(namespace === undefined ? {} : { namespace }),
      signal: ended,
    })) {
      const uid = change === 'BOOKMARK' ? undefined : ownerOf(object);
      if (uid === undefined) continue;
      if (change === 'DELETED') instances.delete(uid);
      else instances.set(uid, object as Vmi);
      const machine = machines.get(uid);
      if (machine !== undefined) print(machine);
    }
  };
  try {
    await Promise.all([...types.map(watchMachines), watchInstances()]);
  } catch (error) {
    stop.abort();
    if (!signal.aborted) throw error;
  }
}

const placeOf = ({ metadata, apiVersion }: Machine) => [metadata.namespace, metadata.name, apiVersion].join(' ');
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
