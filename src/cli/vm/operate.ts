import type { Command } from 'commander';
import { vmOperation } from '../../api/hypersdk/vm-operation.ts';
import { resourceOfKind } from '../../kube/kinds/machines.ts';
import { connected } from '../connection.ts';
import { checked } from '../objects/checked.ts';
import { operationProgress } from '../objects/ends.ts';
import { FLAGS } from '../objects/flags.ts';
import { make } from '../objects/make.ts';
import { newOperation, type OperationFlags, type OperationName } from '../objects/operation.ts';
import type { Asked } from './asked.ts';
import type { VmParts } from './command.ts';
import { findMachine } from './find.ts';
import { resourceName } from './output.ts';
import { type WaitFlags, type WaitParts, waitFor, withWaitFlags } from './wait.ts';

const OPERATIONS = resourceOfKind(vmOperation);

/** `vm clone|resize|restore`: what a VMOperation does, to a machine of any group. */
export function addOperationCommands(vm: Command, parts: VmParts): void {
  type Flags = OperationFlags & WaitFlags;
  withWaitFlags(vm.command('clone'))
    .description('make a new machine from one that there is, or from its snapshot')
    .argument('<name>')
    .argument('<target>', 'name of the new machine')
    .addOption(FLAGS.targetNamespace())
    .addOption(FLAGS.linked())
    .addOption(FLAGS.start())
    .addOption(FLAGS.snapshot())
    .action((name: string, target: string, flags: Flags, command: Command) =>
      operate(parts, command, 'clone', name, { ...flags, target }),
    );
  withWaitFlags(vm.command('resize'))
    .description('give a machine more or fewer CPUs and memory; what needs a restart waits for it')
    .argument('<name>')
    .addOption(FLAGS.cpus())
    .addOption(FLAGS.memory())
    .addOption(FLAGS.hotplug())
    .action((name: string, flags: Flags, command: Command) => operate(parts, command, 'resize', name, flags));
  withWaitFlags(vm.command('restore'))
    .description('take a machine back to one of its snapshots')
    .argument('<name>')
    .argument('<snapshot>', 'the VMSnapshot')
    .action((name: string, snapshot: string, flags: Flags, command: Command) =>
      operate(parts, command, 'restore', name, { ...flags, snapshot }),
    );
}

/** How long the operator is given to say that the time is over. */
const ANSWER_MS = 3000;

/** Has a VMOperation done to a machine that was found; waits for its end where that is called. */
export async function operated(
  { client, found, name, namespace, flags, parts }: Asked,
  operation: OperationName,
  details: OperationFlags = {},
): Promise<() => Promise<void>> {
  const about = { vm: name, group: found.type.group, namespace };
  const object = checked(newOperation(operation, about, { ttl: KEPT_SECONDS, ...details }, parts.random));
  const made = await make(client, OPERATIONS, object, namespace);
  const which = { vm: name, operation: made.metadata.name, namespace };
  return () => operationEnd({ ...parts, client }, which, flags.timeout);
}

/** Nobody asked for the operation itself, which is kept for a look at what became of it. */
const KEPT_SECONDS = 3600;

async function operate(
  parts: VmParts,
  command: Command,
  operation: OperationName,
  given: string,
  { wait, timeout, ...flags }: OperationFlags & WaitFlags,
): Promise<void> {
  const { group: asked } = command.optsWithGlobals<{ group?: string }>();
  // Whoever says how long it may take does not want it done any later.
  const limit = command.getOptionValueSource('timeout') === 'cli' ? { timeout } : {};
  await connected(parts.connect, command, async ({ client, namespace }) => {
    const { type, machine } = await findMachine(client, given, namespace, asked);
    const { name = '' } = machine.metadata;
    const object = checked(
      newOperation(operation, { vm: name, group: type.group, namespace }, { ...flags, ...limit }, parts.random),
    );
    const made = await make(client, OPERATIONS, object, namespace);
    parts.io.out(`${resourceName(made)} created\n`);
    if (wait === true)
      await operationEnd(
        { ...parts, client },
        { vm: name, operation: made.metadata.name, namespace },
        timeout + ANSWER_MS,
      );
  });
}

/** Follows an operation to its end. */
export function operationEnd(
  parts: WaitParts,
  { vm, operation, namespace }: { readonly vm: string; readonly operation: string; readonly namespace: string },
  timeoutMs: number,
): Promise<void> {
  const what = `${operation} to end`;
  const look = `kubectl describe vmoperation ${operation} -n ${namespace}`;
  const awaited = {
    look,
    type: OPERATIONS,
    name: operation,
    namespace,
    machine: vm,
    what,
    progress: operationProgress,
  };
  return waitFor(parts, awaited, timeoutMs);
}
