import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** A request as bytes on the wire. Nothing is checked or added except what `framed` requests. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A client certificate. Without one, requests have tokens. */
export interface ClientCredentials {
  readonly cert?: string;
  readonly key?: string;
}

/** Encodes a request in HTTP/1.1. */
export function wireOf({ method, target, headers, body }: RawRequest, length = body.length): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const framing = length > 0 || method !== 'GET' ? `content-length: ${length}\r\n` : '';
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${lines}${framing}\r\n`),
    body,
  ]);
}

/** One TLS connection for HTTP/1.1, implemented by hand so that it can also send invalid requests. */
export class Http1Connection {
  readonly socket: TLSSocket;
  #chunks: Buffer[] = [];
  #length = 0;
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
    socket.on('end', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open(port: number, credentials: ClientCredentials = {}): Promise<Http1Connection> {
    const address = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
    const socket = connect({ ...address, ...credentials });
    await once(socket, 'secureConnect');
    return new Http1Connection(socket);
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(bytes: Buffer): void {
    if (!this.#closed && this.socket.writable) this.socket.write(bytes);
  }

  /** Returns the next complete response, or undefined if the connection was closed before. */
  async answer(method: string): Promise<RawAnswer | undefined> {
    for (;;) {
      const head = await this.#until('\r\n\r\n');
      if (head === undefined) return undefined;
      const [statusLine = '', ...lines] = head.split('\r\n');
      const status = Number(statusLine.split(' ')[1]);
      const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), valueOf(line)]));
      if (status >= 100 && status < 200) continue;
      const empty = method === 'HEAD' || status === 204 || status === 304;
      const body = empty ? '' : await this.#body(headers);
      return body === undefined ? undefined : { status, headers, body };
    }
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<string | undefined> {
    if (headers.get('transfer-encoding') !== 'chunked') {
      return (await this.#bytes(Number(headers.get('content-length') ?? 0)))?.toString('utf8');
    }
    const chunks: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#until('\r\n')) ?? '', 16);
      const chunk = Number.isNaN(size) ? undefined : await this.#bytes(size + 2);
      if (chunk === undefined) return undefined;
      if (size === 0) return Buffer.concat(chunks).toString('utf8');
      chunks.push(chunk.subarray(0, size));
    }
  }

  async #until(mark: string): Promise<string | undefined> {
    for (;;) {
      const received = this.#joined();
      const at = received.indexOf(mark);
      if (at >= 0) {
        this.#keep(received.subarray(at + mark.length));
        return received.toString('latin1', 0, at);
      }
      if (!(await this.#more())) return undefined;
    }
  }

  async #bytes(count: number): Promise<Buffer | undefined> {
    while (this.#length < count) if (!(await this.#more())) return undefined;
    const received = this.#joined();
    this.#keep(received.subarray(count));
    return received.subarray(0, count);
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #keep(rest: Buffer): void {
    this.#chunks = [rest];
    this.#length = rest.length;
  }

  async #more(): Promise<boolean> {
    if (this.#closed) return false;
    const before = this.#length;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return this.#length > before || !this.#closed;
  }

  close(): void {
    this.socket.destroy();
  }
}

function valueOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).trim();
}
