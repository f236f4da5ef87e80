import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { FlowControl } from '../flow-control/flow-control.ts';

type BeginHandshake = FlowControl['beginHandshake'];

/**
 * Lets the TLS handshakes of a server begin in turns. Node begins that of every connection as soon as it is accepted, and
 * hundreds that are opened at once take longer than others should wait. A client that says nothing holds no place, and
 * is cut off after `firstByteMs`.
 */
export function paceHandshakes(server: Http2SecureServer, firstByteMs: number, beginHandshake: BeginHandshake): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const inProgress = new Map<string, () => void>();
  const end = (name: string): void => {
    inProgress.get(name)?.();
    inProgress.delete(name);
  };
  const begin = async (socket: Socket): Promise<void> => {
    const release = await beginHandshake(socket.remoteAddress).catch(() => undefined);
    if (release === undefined || socket.destroyed) {
      release?.();
      socket.destroy();
      return;
    }
    const name = nameOf(socket);
    inProgress.set(name, release);
    socket.on('close', () => end(name));
    for (const listener of listeners) listener.call(server, socket);
  };
  server.on('connection', (socket: Socket) => onFirstByte(socket, firstByteMs, () => begin(socket)));
  server.on('secureConnection', (socket) => end(nameOf(socket)));
}

/** Goes on once a client has sent something, and looks after errors of its socket until somebody else does. */
function onFirstByte(socket: Socket, firstByteMs: number, next: () => Promise<void>): void {
  const destroy = (): void => void socket.destroy();
  const go = async (): Promise<void> => {
    socket.setTimeout(0);
    socket.removeListener('timeout', destroy);
    await next();
    socket.removeListener('error', destroy);
  };
  socket.on('error', destroy);
  socket.setTimeout(firstByteMs, destroy);
  socket.once('readable', () => void go());
}

/** The encrypted and the plain socket of a connection go by the same one. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
