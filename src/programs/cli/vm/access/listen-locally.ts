import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { joinStreams } from '#platform/runtime/http/join-streams';

/** Local port whose connections are forwarded. */
export interface LocalListener {
  readonly port: number;
  /** Stops listening, and closes all connections. */
  close(): Promise<void>;
}

/** Listens on an address, and connects every client to a new stream. Failures are reported, and end that client only. */
export async function listenLocally(
  { address, port }: { readonly address: string; readonly port: number },
  open: () => Promise<Duplex>,
  onFailure: (error: unknown) => void,
): Promise<LocalListener> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    void open()
      .then((stream) => joinStreams(socket, stream))
      .catch((error: unknown) => {
        socket.destroy();
        onFailure(error);
      });
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
