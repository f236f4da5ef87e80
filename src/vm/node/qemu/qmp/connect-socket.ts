import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/**
 * Connects to a Unix socket in a directory. The path of a socket has at most 108 bytes, so that it is reached through
 * the descriptor of its directory, however deep that is.
 */
export async function connectSocket(directory: string, name: string): Promise<Socket> {
  const handle = await open(directory, 'r');
  try {
    const socket = connect(`/proc/self/fd/${handle.fd}/${name}`);
    await once(socket, 'connect');
    return socket;
  } finally {
    await handle.close();
  }
}
