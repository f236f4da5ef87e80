import type { Command } from 'commander';
import { KINDS } from '../../api/kinds.ts';
import { resourceOfKind } from '../../kube/kinds/machines.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { connected } from '../connection.ts';
import { make } from '../objects/make.ts';
import { snapshotEnd } from '../snapshot/command.ts';
import { templateEnd } from '../template/command.ts';
import type { VmParts } from '../vm/command.ts';
import { settles } from '../vm/create.ts';
import type { Machine, MachineType } from '../vm/machine-kinds.ts';
import { operationEnd } from '../vm/operate.ts';
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
    await end(waiting, type, made, { vm, name: made.metadata.name ?? '', namespace }, timeout ?? USUAL_MS);
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
  about: { readonly vm: string; readonly name: string; readonly namespace: string },
  timeoutMs: number,
): Promise<void> {
  switch (type.kind) {
    case 'VMOperation':
      // It ends by itself when its time is over, and says why.
      return operationEnd(parts, { ...about, operation: about.name }, timeoutMs + MINUTE_MS);
    case 'VMSnapshot':
      return snapshotEnd(parts, about, timeoutMs);
    case 'VMTemplate':
      return templateEnd(parts, about, timeoutMs);
    default:
      return settles(parts, type, made, timeoutMs);
  }
}
