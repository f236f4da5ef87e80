import type { Socket } from 'node:net';

/** Maximum number of requests of one HTTP/2 session that are served at a time, not counting watches. */
const PLACES_OF_A_SESSION = 100;
/** Maximum number of requests that an HTTP/1.1 client may pipeline; few clients do. */
const MAX_AHEAD = 1_000;

/**
 * Tracks the requests in progress of one client. Unread responses take memory, so further requests of the connection
 * wait: over HTTP/1.1, which responds in order anyway, each for the one before; over HTTP/2 for a free slot.
 */
export class Connection {
  readonly #places: number;
  readonly #socket: Socket | undefined;
  readonly #slowMs: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #closing = false;

  /** Takes the socket of an HTTP/1.1 connection; without one it is an HTTP/2 session. */
  constructor(slowMs: number, socket?: Socket) {
    this.#socket = socket;
    this.#slowMs = slowMs;
    this.#places = socket === undefined ? PLACES_OF_A_SESSION : 1;
  }

  /** Reports whether any request is in progress. */
  get busy(): boolean {
    return this.#taken > 0;
  }

  /**
   * Acquires a slot. If none is free, the promise settles when one is; too many waiting requests close the connection.
   */
  enter(): Promise<void> | undefined {
    if (this.#taken < this.#places) {
      this.#taken++;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length > MAX_AHEAD) this.#socket?.destroy();
    });
  }

  /** Releases a slot, to the next waiting request if any. */
  leave(): void {
    const next = this.#closing ? undefined : this.#waiting.shift();
    if (next === undefined) {
      this.#taken--;
      if (this.#closing) this.#socket?.destroySoon();
      return;
    }
    if (this.#socket?.writableNeedDrain === true) this.#onceRead(this.#socket, next);
    else next();
  }

  /** Closes the connection after the responses in progress; waiting requests get no response. */
  close(): void {
    this.#closing = true;
    if (!this.busy) this.#socket?.destroySoon();
  }

  /** Continues when the client has read what was sent to it, or was disconnected because it did not. */
  #onceRead(socket: Socket, next: () => void): void {
    const go = (): void => {
      socket.removeListener('drain', go);
      socket.removeListener('close', go);
      socket.setTimeout(0);
      next();
    };
    socket.setTimeout(this.#slowMs);
    socket.on('drain', go);
    socket.on('close', go);
  }
}
