import type { Command } from 'commander';
import type { Vmi } from '#api/kubevirt/resources';
import { VimanaError } from '#platform/base/errors';
import { type Connection, withConnection } from '../../connection.ts';
import type { VmDeps } from '../../vm-deps.ts';
import { findVm, instanceOf } from '../find.ts';

/** Guest that a command talks to. */
export interface GuestTarget {
  readonly connection: Connection;
  readonly instance: Vmi;
  /** Name of the VM. */
  readonly name: string;
  readonly namespace: string;
}

const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1';
/** Subprotocol of KubeVirt for a stream of bytes. */
const PLAIN_STREAM = 'plain.kubevirt.io';

/** Finds the running instance of a VM, and runs a function with the connection to its cluster. */
export async function withGuest(
  parts: VmDeps,
  command: Command,
  given: string,
  run: (target: GuestTarget) => Promise<void>,
): Promise<void> {
  await withConnection(parts.connect, command, async (connection) => {
    const { client, namespace } = connection;
    const { group } = command.optsWithGlobals<{ group?: string }>();
    const found = await findVm(client, given, namespace, group);
    const { name = given } = found.machine.metadata;
    const instance = await instanceOf(client, found);
    if (instance === undefined) {
      throw new VimanaError('NOT_RUNNING', `${name} is not running`, { hint: `vimana vm start ${name} --wait` });
    }
    await run({ connection, instance, name, namespace });
  });
}

/** Returns the path of a subresource of an instance, such as `console` or `portforward/22`. */
export function subresourcePath({ instance, namespace }: GuestTarget, subresource: string): string {
  return `${SUBRESOURCES}/namespaces/${namespace}/virtualmachineinstances/${instance.metadata.name}/${subresource}`;
}

/** Opens a stream of bytes to a guest. */
export async function openGuestStream(target: GuestTarget, subresource: string) {
  const { stream } = await target.connection.webSocket(subresourcePath(target, subresource), [PLAIN_STREAM]);
  return stream;
}
