import { type FileHandle, open } from 'node:fs/promises';
import type { Isolation } from '../isolation/isolation.ts';

/** Open namespaces of a machine, which stay the same even if its process ID is used again. */
export interface NamespaceHandles {
  readonly net: FileHandle;
  readonly user: FileHandle;
}

export async function openNamespaces(pid: number): Promise<NamespaceHandles> {
  const net = await open(`/proc/${pid}/ns/net`, 'r');
  try {
    return { net, user: await open(`/proc/${pid}/ns/user`, 'r') };
  } catch (error) {
    await net.close();
    throw error;
  }
}

/** Descriptors at which the command of `enterNamespace` expects the namespaces. */
export const NAMESPACE_FDS = { net: 4, user: 5 } as const;

/** Returns the command that runs the rest of its arguments in the namespaces of a machine, without privileges. */
export function enterNamespace(user: Isolation['user'], uid: number | undefined): string[] {
  const { net, user: userFd } = NAMESPACE_FDS;
  const owner = user === 'namespace' ? [`--user=/proc/self/fd/${userFd}`, '--preserve-credentials'] : [];
  const identity = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return [
    ...['nsenter', ...owner, `--net=/proc/self/fd/${net}`, '--'],
    ...['setpriv', '--pdeathsig=KILL', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', ...identity, '--'],
  ];
}
