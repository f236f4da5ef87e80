import type { Socket } from 'node:net';

/** Requests of one HTTP/2 session that are answered at a time, watches not counted. */
const PLACES_OF_A_SESSION = 100;
/** Requests that an HTTP/1.1 client may send ahead; few clients send any. */
const MAX_AHEAD = 1_000;

/**
 * What one client has under way. Answers that it does not read take memory, so that further requests of the same
 * connection wait: over HTTP/1.1, which answers in order anyway, each for the one before, over HTTP/2 for a place.
 */
export class Connection {
  readonly #places: number;
  readonly #socket: Socket | undefined;
  readonly #slowMs: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #closing = false;

  /** With the socket of an HTTP/1.1 connection; without one it is an HTTP/2 session. */
  constructor(slowMs: number, socket?: Socket) {
    this.#socket = socket;
    this.#slowMs = slowMs;
    this.#places = socket === undefined ? PLACES_OF_A_SESSION : 1;
  }

  /** Whether anything is being answered. */
  get busy(): boolean {
    return this.#taken > 0;
  }

  /** Takes a place; where none is free, the promise settles when one is. Too many that wait end the connection. */
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

  /** Gives a place back, to the next one if any waits. */
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

  /** Closes the connection after the answers under way; what waits is not answered any more. */
  close(): void {
    this.#closing = true;
    if (!this.busy) this.#socket?.destroySoon();
  }

  /** Goes on when the client has read what was sent to it, or is gone because it did not. */
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
