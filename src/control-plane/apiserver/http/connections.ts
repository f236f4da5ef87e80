import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Connection } from './connection.ts';

/** Tracks all connections of a server. */
export class Connections {
  readonly #slowMs: number;
  readonly #graceMs: number;
  /** Sockets that carry HTTP. */
  readonly #sockets = new Set<Socket>();
  /** Sockets below TLS, whose clients may never send anything. */
  readonly #raw = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #known = new WeakMap<object, Connection>();
  #closing = false;

  /**
   * `slowMs` is the time that a client may stall while reading a response; `graceMs` is that time once the server
   * stops.
   */
  constructor(slowMs: number, graceMs: number) {
    this.#slowMs = slowMs;
    this.#graceMs = graceMs;
  }

  add(socket: Socket): void {
    // Its handshake was still in progress when the server was stopped.
    if (this.#closing) socket.destroy();
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  addRaw(socket: Socket): void {
    this.#raw.add(socket);
    socket.on('close', () => this.#raw.delete(socket));
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.on('close', () => this.#sessions.delete(session));
    session.on('error', () => session.destroy());
  }

  /** Returns the connection of a request. */
  of(request: IncomingMessage | Http2ServerRequest): Connection {
    const stream = 'stream' in request ? request.stream : undefined;
    const key = stream === undefined ? request.socket : (stream.session ?? stream);
    let known = this.#known.get(key);
    if (known === undefined) {
      known = new Connection(this.#slowMs, stream === undefined ? request.socket : undefined);
      this.#known.set(key, known);
    }
    return known;
  }

  /** Closes each connection when its requests are finished, and all of them after a grace period. */
  close(): void {
    this.#closing = true;
    for (const session of this.#sessions) session.close();
    for (const socket of this.#sockets) {
      const connection = this.#known.get(socket);
      if (connection !== undefined) connection.close();
      else if ((socket as Partial<TLSSocket>).alpnProtocol !== 'h2') socket.destroy();
    }
    for (const socket of [...this.#sockets, ...this.#raw]) socket.setTimeout(this.#graceMs, () => socket.destroy());
  }
}
