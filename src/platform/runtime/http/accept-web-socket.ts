import type { IncomingMessage } from 'node:http';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import { type AcceptWebSocket, offeredProtocols } from '#platform/kube/web-socket';

/** Maximum size of a message, so that a client cannot fill the memory. kubectl sends at most 32 KiB at once. */
const MAX_MESSAGE = 1 << 20;
const NORMAL_CLOSURE = 1000;
const HEADERS = ['upgrade', 'sec-websocket-key', 'sec-websocket-version'] as const;

/** Completes a handshake with the implementation of the ws package. */
export const acceptWebSocket: AcceptWebSocket = async (request, protocols) => {
  const { method, upgrade } = request;
  if (upgrade === undefined) throw new Error('the client requests no upgrade');
  const offered = offeredProtocols(request);
  const protocol = protocols.find((name) => offered.includes(name)) ?? '';
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
  });
  // The package rejects a protocol with a slash, such as the one of port-forward, so that it is not shown any.
  server.on('headers', (lines) => protocol !== '' && lines.push(`Sec-WebSocket-Protocol: ${protocol}`));
  const headers = Object.fromEntries(HEADERS.map((name) => [name, request.header(name)]));
  const { socket, head } = upgrade();
  // The package writes the response to a handshake that is invalid, and then closes the connection.
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const onClose = () => reject(new Error('the client closed the connection during the handshake'));
  socket.once('close', onClose);
  server.handleUpgrade({ method, headers } as unknown as IncomingMessage, socket, Buffer.from(head), resolve);
  const webSocket = await promise;
  socket.off('close', onClose);
  // A stream closes without a status, which kubectl takes for a failure.
  const close = webSocket.close.bind(webSocket);
  webSocket.close = (code = NORMAL_CLOSURE, reason) => close(code, reason);
  return { protocol, stream: createWebSocketStream(webSocket, { readableObjectMode: true }) };
};
