import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { FlowControl } from '../flow-control/flow-control.ts';

type BeginHandshake = FlowControl['beginHandshake'];

/**
 * Lets the TLS handshakes of a server begin in turns. Node begins that of every connection as soon as it is accepted, and
 * hundreds that are opened at once take longer than others should wait.
 */
export function paceHandshakes(server: Http2SecureServer, beginHandshake: BeginHandshake): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const inProgress = new Map<string, () => void>();
  const begin = async (socket: Socket): Promise<void> => {
    const gone = (): void => void socket.destroy();
    socket.on('error', gone);
    const name = nameOf(socket);
    const end = await beginHandshake(socket.remoteAddress).catch(gone);
    if (end === undefined) return;
    socket.removeListener('error', gone);
    if (socket.destroyed) {
      end();
      return;
    }
    inProgress.set(name, end);
    socket.on('close', () => over(name, end));
    for (const listener of listeners) listener.call(server, socket);
  };
  const over = (name: string, end: () => void): void => {
    end();
    if (inProgress.get(name) === end) inProgress.delete(name);
  };
  server.on('connection', (socket: Socket) => void begin(socket));
  server.on('secureConnection', (socket) => {
    const name = nameOf(socket);
    const end = inProgress.get(name);
    if (end !== undefined) over(name, end);
  });
}

/** The encrypted and the plain socket of a connection go by the same one. */
const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
