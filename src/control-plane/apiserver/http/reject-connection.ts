import { STATUS_CODES } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';
import { methodNotAllowed } from '../api-error.ts';
import { statusResponse } from './response.ts';

/**
 * Responds to what Node.js does not turn into a request: an unknown method, or one that requests a tunnel. Anything
 * else that cannot be parsed is not HTTP, and its connection is closed.
 */
export function rejectConnection(error: unknown, socket: Duplex): void {
  const { code, rawPacket } = (error ?? {}) as { readonly code?: string; readonly rawPacket?: Buffer };
  const named =
    code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.subarray(0, 8192).toString('latin1') ?? '');
  if (named && socket.writable) refuseMethod(socket);
  else socket.destroy();
}

const REQUEST_LINE = /^[A-Za-z]+ \S+ HTTP\/1\.[01]\r?\n/;

/** Rejects a request for a tunnel; over HTTP/2 it has a response of its own. */
export function rejectTunnel(_request: unknown, response: Duplex | Http2ServerResponse): void {
  if (!('writeHead' in response)) {
    refuseMethod(response);
    return;
  }
  const { status, type, body } = statusResponse(methodNotAllowed().status);
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

function refuseMethod(socket: Duplex): void {
  const { status, type, body } = statusResponse(methodNotAllowed().status);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${type}\r\nConnection: close\r\n`;
  socket.on('error', () => socket.destroy());
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
