import { KubeError } from '#platform/kube/kube-error';
import { offeredProtocols, requestsWebSocket, type UpgradeRequest } from '#platform/kube/web-socket';
import { acceptWebSocket } from '#platform/runtime/http/accept-web-socket';
import type { PodConnectionRequest, ServePodConnection } from '../http/pod-connection.ts';
import { attachByChannels } from './attach-by-channels.ts';
import { CHANNEL_PROTOCOLS } from './channels.ts';
import { execByChannels } from './exec-by-channels.ts';
import { PortForwardSession } from './spdy/port-forward-session.ts';

export const servePodConnection: ServePodConnection = async (requested) => {
  const { request, subresource, runtime } = requested;
  if (subresource === 'portforward') return await servePortForward(requested);
  if (subresource === 'exec') return await serveExec(requested);
  const { pod, container } = requested;
  const terminal = await runtime.attach?.({ pod, container, stdin: flag(requested, 'stdin') });
  if (terminal === undefined) return;
  try {
    assertOffered(request, CHANNEL_PROTOCOLS);
    const { stream } = await acceptWebSocket(request, CHANNEL_PROTOCOLS);
    attachByChannels(stream, terminal);
  } catch (error) {
    terminal.destroy();
    throw error;
  }
};

/** Subprotocol of kubectl since 1.31: SPDY inside of a WebSocket. */
const TUNNEL_PROTOCOLS = ['SPDY/3.1+portforward.k8s.io'];

async function servePortForward({ request, pod, runtime }: PodConnectionRequest): Promise<void> {
  assertOffered(request, TUNNEL_PROTOCOLS);
  const { stream } = await acceptWebSocket(request, TUNNEL_PROTOCOLS);
  const { name = '', uid = '' } = pod.metadata;
  const session = new PortForwardSession(stream, {
    connect: async (port) => {
      if (runtime.connect === undefined) throw new Error('port-forward is not served');
      return await runtime.connect(pod, port);
    },
    describe: (port, error) => {
      const why = error instanceof KubeError ? error.message : 'the connection failed';
      return `error forwarding port ${port} to pod ${name}, uid ${uid}: ${why}`;
    },
  });
  void session.run();
}

async function serveExec(requested: PodConnectionRequest): Promise<void> {
  const { request, pod, container, runtime } = requested;
  const command = request.query.getAll('command');
  if (command.length === 0)
    throw new KubeError(400, 'BadRequest', 'you must specify at least 1 command for the container');
  assertOffered(request, CHANNEL_PROTOCOLS);
  const { stream, protocol } = await acceptWebSocket(request, CHANNEL_PROTOCOLS);
  const run = { pod, container, command, tty: flag(requested, 'tty') };
  execByChannels(stream, { stdin: flag(requested, 'stdin'), canClose: protocol === CHANNEL_PROTOCOLS[0] }, (io) =>
    runtime.exec === undefined ? Promise.reject(new Error('exec is not served')) : runtime.exec({ ...run, ...io }),
  );
}

function flag({ request }: PodConnectionRequest, name: string): boolean {
  return ['true', '1', ''].includes(request.query.get(name) ?? 'false');
}

function assertOffered(request: UpgradeRequest, served: readonly string[]): void {
  if (!requestsWebSocket(request)) {
    const asked = request.header('upgrade') ?? 'another protocol';
    throw new KubeError(
      400,
      'BadRequest',
      `the server connects to pods by WebSocket only, not by ${asked}: use kubectl 1.31 or later`,
    );
  }
  const offered = offeredProtocols(request);
  if (offered.some((name) => served.includes(name))) return;
  throw new KubeError(
    400,
    'BadRequest',
    `unable to upgrade connection: the client offers the WebSocket protocols [${offered.join(' ')}], and the server serves [${served.join(' ')}]`,
  );
}
