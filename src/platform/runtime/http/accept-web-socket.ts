import type { IncomingMessage } from 'node:http';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { AcceptWebSocket } from '#platform/kube/web-socket';

/** Maximum size of a message, so that a client cannot fill the memory. kubectl sends at most 32 KiB at once. */
const MAX_MESSAGE = 1 << 20;
const HEADERS = ['upgrade', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol'] as const;

/** Completes a handshake with the implementation of the ws package. */
export const acceptWebSocket: AcceptWebSocket = async (request, protocols) => {
  const { method, upgrade } = request;
  if (upgrade === undefined) throw new Error('the client requests no upgrade');
  const handleProtocols = (offered: ReadonlySet<string>) => protocols.find((name) => offered.has(name)) ?? false;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    handleProtocols,
  });
  const headers = Object.fromEntries(HEADERS.map((name) => [name, request.header(name)]));
  const { socket, head } = upgrade();
  // The package writes the response to a handshake that is invalid, and then closes the connection.
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const onClose = () => reject(new Error('the client closed the connection during the handshake'));
  socket.once('close', onClose);
  server.handleUpgrade({ method, headers } as unknown as IncomingMessage, socket, Buffer.from(head), resolve);
  const webSocket = await promise;
  socket.off('close', onClose);
  return { protocol: webSocket.protocol, stream: createWebSocketStream(webSocket, { readableObjectMode: true }) };
};
