import type { TLSSocket } from 'node:tls';

/**
 * Lets a paused HTTP/1.1 connection keep what still arrives. Node stops reading when an answer is not yet written out
 * and the next request comes; but its parser takes bytes from below the stream, what TLS has decrypted already comes
 * all the same, and the paused parser fails on it. Once anybody listens for data, they go through the stream, which
 * waits. Only connections that are ever paused take that longer way.
 */
export function keepWhilePaused(socket: TLSSocket): void {
  if (socket.alpnProtocol === 'h2') return;
  socket.once('pause', () => {
    socket.on('data', () => {});
    // The stream still waits for the read that the parser answered in its place; without an answer it never reads again.
    socket.push(Buffer.alloc(0));
  });
}
