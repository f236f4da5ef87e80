import type { Command } from 'commander';
import { OPERATIONS, type Operation } from '#api/hypersdk/operation-resources';
import type { Client } from '#platform/kube/client';
import { withConnection } from '../connection.ts';
import { assertValid } from '../objects/assert-valid.ts';
import { createStored } from '../objects/create-stored.ts';
import { FLAGS } from '../objects/flags.ts';
import { type About, newOperation, type OperationFlags, type OperationName } from '../objects/operation.ts';
import { resourceName } from '../objects/output-format.ts';
import { type WaitFlags, withWaitFlags } from '../objects/wait.ts';
import { OPERATION_END, waitForCompletion } from '../objects/wait-for-completion.ts';
import type { VmDeps } from '../vm-deps.ts';
import { findVm } from './find.ts';
import type { PowerTarget } from './power-target.ts';

/** Adds `vm clone|resize|restore`, which create a VMOperation for a VM of any group. */
export function addOperationCommands(vm: Command, parts: VmDeps): void {
  type Flags = OperationFlags & WaitFlags;
  withWaitFlags(vm.command('clone'))
    .description('clone a VM, or one of its snapshots')
    .argument('<name>')
    .argument('<target>', 'name of the new VM')
    .addOption(FLAGS.targetNamespace())
    .addOption(FLAGS.linked())
    .addOption(FLAGS.start())
    .addOption(FLAGS.snapshot())
    .action((name: string, target: string, flags: Flags, command: Command) =>
      operate(parts, command, 'clone', name, { ...flags, target }),
    );
  withWaitFlags(vm.command('resize'))
    .description('change CPUs and memory of a VM; changes that need a restart apply at the next start')
    .argument('<name>')
    .addOption(FLAGS.cpus())
    .addOption(FLAGS.memory())
    .addOption(FLAGS.hotplug())
    .action((name: string, flags: Flags, command: Command) => operate(parts, command, 'resize', name, flags));
  withWaitFlags(vm.command('restore'))
    .description('restore a VM from one of its snapshots')
    .argument('<name>')
    .argument('<snapshot>', 'name of the VMSnapshot')
    .action((name: string, snapshot: string, flags: Flags, command: Command) =>
      operate(parts, command, 'restore', name, { ...flags, snapshot }),
    );
}

/** Time for the operator to report that the timeout has passed. */
const ANSWER_MS = 3000;

/** Creates a VMOperation for a VM. The returned function waits for completion. */
export async function runOperation(
  { client, found, name, namespace, flags, parts }: PowerTarget,
  operation: OperationName,
  details: OperationFlags = {},
): Promise<() => Promise<void>> {
  const about = { vm: name, group: found.type.group, namespace };
  const made = await makeOperation(parts, client, operation, about, { ttl: TTL_SECONDS, ...details });
  const which = { machine: name, name: made.metadata.name, namespace };
  return () => waitForCompletion({ ...parts, client }, OPERATION_END, which, flags.timeout);
}

/** The user did not request the operation object itself. It is retained for inspection. */
const TTL_SECONDS = 3600;

async function operate(
  parts: VmDeps,
  command: Command,
  operation: OperationName,
  given: string,
  { wait, timeout, ...flags }: OperationFlags & WaitFlags,
): Promise<void> {
  const { group: target } = command.optsWithGlobals<{ group?: string }>();
  // A user who sets a timeout does not want the operation to be done any later.
  const limit = command.getOptionValueSource('timeout') === 'cli' ? { timeout } : {};
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const { type, machine } = await findVm(client, given, namespace, target);
    const { name = '' } = machine.metadata;
    const about = { vm: name, group: type.group, namespace };
    const made = await makeOperation(parts, client, operation, about, { ...flags, ...limit });
    parts.io.out(`${resourceName(made)} created\n`);
    const which = { machine: name, name: made.metadata.name, namespace };
    if (wait === true) await waitForCompletion({ ...parts, client }, OPERATION_END, which, timeout + ANSWER_MS);
  });
}

function makeOperation(
  { random }: VmDeps,
  client: Client,
  operation: OperationName,
  about: About & { readonly namespace: string },
  flags: OperationFlags,
): Promise<Operation> {
  return createStored(client, OPERATIONS, assertValid(newOperation(operation, about, flags, random)), about.namespace);
}
