import type { IncomingMessage } from 'node:http';
import { createWebSocketStream, WebSocket } from 'ws';
import { VimanaError } from '#platform/base/errors';
import type { ClusterAccess } from '../kubeconfig/cluster-access.ts';
import type { WebSocketConnection } from '../web-socket.ts';
import { responseError } from './wire.ts';

const HANDSHAKE_TIMEOUT_MS = 30_000;
/** Maximum size of an error that is read. */
const MAX_ERROR = 64 * 1024;

/** Opens a WebSocket to a path of an API server. Throws a KubeError if the server rejects it. */
export async function connectWebSocket(
  access: ClusterAccess,
  path: string,
  protocols: readonly string[],
): Promise<WebSocketConnection> {
  if (access.proxyUrl !== undefined) {
    throw new VimanaError(
      'NOT_SUPPORTED',
      'a connection to a guest through the proxy of the kubeconfig is not supported',
      {
        hint: 'Use a kubeconfig whose cluster has no proxy-url.',
      },
    );
  }
  const certificate = await access.certificate();
  const webSocket = new WebSocket(`${access.server.replace(/^http/, 'ws')}${path}`, [...protocols], {
    headers: (await access.headers()) as Record<string, string>,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    perMessageDeflate: false,
    rejectUnauthorized: !access.insecure,
    ...(access.ca === undefined ? {} : { ca: access.ca }),
    ...(access.serverName === undefined ? {} : { servername: access.serverName }),
    ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
  });
  // The stream is created before the connection is open, so that it misses no message.
  const stream = createWebSocketStream(webSocket, { readableObjectMode: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.on('error', reject);
  webSocket.once('open', resolve);
  webSocket.once('unexpected-response', (_request, response: IncomingMessage) => {
    void readError(response)
      .then(reject)
      .finally(() => stream.destroy());
  });
  await promise;
  return { protocol: webSocket.protocol, stream };
}

async function readError(response: IncomingMessage): Promise<Error> {
  let text = '';
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > MAX_ERROR) break;
    }
  } catch {
    // The status says enough if the rest of the response is lost.
  }
  return responseError(response.statusCode ?? 500, text);
}
