import type { Command } from 'commander';
import { KINDS } from '#api/kinds';
import { resourceTypeFor } from '#api/kubevirt/resources';
import type { KubeObject } from '#platform/kube/kube-object';
import { withConnection } from '../connection.ts';
import { createStored } from '../objects/create-stored.ts';
import { resourceName } from '../objects/output-format.ts';
import type { WaitDeps } from '../objects/wait.ts';
import { OPERATION_END, SNAPSHOT_END, TEMPLATE_END, waitForCompletion } from '../objects/wait-for-completion.ts';
import { waitForStart } from '../vm/create.ts';
import type { CliVm, VmType } from '../vm/vm-kinds.ts';
import type { VmDeps } from '../vm-deps.ts';

const MINUTE_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 10 * MINUTE_MS;

/**
 * Stores the object that would otherwise be printed, and waits for its completion. All messages go to standard error.
 */
export async function applyAndWait(
  { io, ...parts }: VmDeps,
  command: Command,
  object: KubeObject,
  { vm = '', timeout }: { readonly vm?: string; readonly timeout?: number },
): Promise<void> {
  await withConnection(parts.connect, command, async ({ client, namespace }) => {
    const type = typeOf(object);
    const made = await createStored(client, type, object, namespace);
    io.err(`${resourceName(made)} created\n`);
    const waiting: WaitDeps = { ...parts, client, io: { ...io, out: io.err } };
    await end(
      waiting,
      type,
      made,
      { machine: vm, name: made.metadata.name ?? '', namespace },
      timeout ?? DEFAULT_TIMEOUT_MS,
    );
  });
}

function typeOf({ apiVersion, kind }: KubeObject): VmType {
  const found = KINDS.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  if (found === undefined) throw new TypeError(`unknown kind ${apiVersion} ${kind}`);
  return resourceTypeFor(found) as unknown as VmType;
}

function end(
  parts: WaitDeps,
  type: VmType,
  made: CliVm,
  about: { readonly machine: string; readonly name: string; readonly namespace: string },
  timeoutMs: number,
): Promise<void> {
  switch (type.kind) {
    case 'VMOperation':
      // The operation ends by itself after its timeout, and reports why.
      return waitForCompletion(parts, OPERATION_END, about, timeoutMs + MINUTE_MS);
    case 'VMSnapshot':
      return waitForCompletion(parts, SNAPSHOT_END, about, timeoutMs);
    case 'VMTemplate':
      return waitForCompletion(parts, TEMPLATE_END, { ...about, machine: about.name }, timeoutMs);
    default:
      return waitForStart(parts, type, made, timeoutMs);
  }
}
