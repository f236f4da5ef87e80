import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { FlowControl } from '../flow-control/flow-control.ts';

type BeginHandshake = FlowControl['beginHandshake'];

/**
 * Paces the TLS handshakes of a server. Node.js starts each as soon as a connection is accepted, and hundreds at once
 * would delay others for too long. A client that sends nothing holds no slot, and is disconnected after `firstByteMs`.
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

/** Continues once a client has sent something, and handles errors of its socket until someone else does. */
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

/** Names the peer, which is the same for the encrypted and the plain socket of a connection. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
