import type { TLSSocket } from 'node:tls';

/**
 * Lets a paused HTTP/1.1 connection buffer what still arrives. Node.js stops reading when the next request arrives
 * before a response is written; but its parser takes bytes from below the stream, data that TLS has already decrypted
 * still arrives, and the paused parser fails on it. With a data listener, the bytes go through the stream, which waits.
 * Only connections that are ever paused take that slower path.
 */
export function keepWhilePaused(socket: TLSSocket): void {
  if (socket.alpnProtocol === 'h2') return;
  socket.once('pause', () => {
    socket.on('data', () => {});
    // The stream still waits for the read that the parser consumed in its place, and would never read again without
    // this.
    socket.push(Buffer.alloc(0));
  });
}
