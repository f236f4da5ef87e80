import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Acts as kube-proxy for a Service: forwards connections to an available replica. */
export interface ServiceProxy {
  readonly port: number;
  /** Closes all open connections. New ones are accepted. */
  cut(): number;
  close(): Promise<void>;
}

/** Listens on a loopback port for the replicas that `ports` returns when a connection arrives. */
export async function startServiceProxy(ports: () => readonly number[]): Promise<ServiceProxy> {
  const open = new Set<Socket>();
  const held = (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    return socket;
  };
  const pass = (client: Socket, [port, ...others]: readonly number[]) => {
    if (port === undefined) {
      client.destroy();
      return;
    }
    const replica = connect(port, '127.0.0.1');
    const refused = () => pass(client, others);
    replica.once('error', refused);
    replica.once('connect', () => {
      replica.off('error', refused);
      client.pipe(held(replica)).pipe(client);
      client.on('close', () => replica.destroy());
      replica.on('close', () => client.destroy());
    });
  };
  const server = createServer((client) => pass(held(client), ports())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    const count = open.size;
    for (const socket of open) socket.destroy();
    return count;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async close() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
