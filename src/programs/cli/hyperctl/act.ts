import type { Command } from 'commander';
import { KINDS } from '#api/kinds';
import { resourceOfKind } from '#api/kubevirt/resources';
import type { KubeObject } from '#platform/kube/kube-object';
import { connected } from '../connection.ts';
import { OPERATION_END, SNAPSHOT_END, TEMPLATE_END, untilEnd } from '../objects/ends.ts';
import { make } from '../objects/make.ts';
import type { VmParts } from '../vm/command.ts';
import { settles } from '../vm/create.ts';
import type { Machine, MachineType } from '../vm/machine-kinds.ts';
import { resourceName } from '../vm/output.ts';
import type { WaitParts } from '../vm/wait.ts';

const MINUTE_MS = 60_000;
const USUAL_MS = 10 * MINUTE_MS;

/** Stores what would else be printed, and follows it to its end; all that is said of it goes to standard error. */
export async function act(
  { io, ...parts }: VmParts,
  command: Command,
  object: KubeObject,
  { vm = '', timeout }: { readonly vm?: string; readonly timeout?: number },
): Promise<void> {
  await connected(parts.connect, command, async ({ client, namespace }) => {
    const type = typeOf(object);
    const made = await make(client, type, object, namespace);
    io.err(`${resourceName(made)} created\n`);
    const waiting: WaitParts = { ...parts, client, io: { ...io, out: io.err } };
    await end(waiting, type, made, { machine: vm, name: made.metadata.name ?? '', namespace }, timeout ?? USUAL_MS);
  });
}

function typeOf({ apiVersion, kind }: KubeObject): MachineType {
  const found = KINDS.find((each) => each.kind === kind && each.apiVersion === apiVersion);
  if (found === undefined) throw new TypeError(`no kind is ${apiVersion} ${kind}`);
  return resourceOfKind(found) as unknown as MachineType;
}

function end(
  parts: WaitParts,
  type: MachineType,
  made: Machine,
  about: { readonly machine: string; readonly name: string; readonly namespace: string },
  timeoutMs: number,
): Promise<void> {
  switch (type.kind) {
    case 'VMOperation':
      // It ends by itself when its time is over, and says why.
      return untilEnd(parts, OPERATION_END, about, timeoutMs + MINUTE_MS);
    case 'VMSnapshot':
      return untilEnd(parts, SNAPSHOT_END, about, timeoutMs);
    case 'VMTemplate':
      return untilEnd(parts, TEMPLATE_END, { ...about, machine: about.name }, timeoutMs);
    default:
      return settles(parts, type, made, timeoutMs);
  }
}
