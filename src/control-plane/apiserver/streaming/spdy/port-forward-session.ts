import type { Duplex } from 'node:stream';
import { dataFrame, pingFrame, refusalFrame, type SpdyFrame, SpdyFrameParser, synReplyFrame } from './spdy-frame.ts';
import { SpdyHeaderReader, SpdyHeaderWriter } from './spdy-headers.ts';

export interface PortForwardDeps {
  /** Connects to a port of the pod. */
  readonly connect: (port: number) => Promise<Duplex>;
  /** Describes an error to the client. */
  readonly describe: (port: number, error: unknown) => string;
}

/** Two streams that make up one forwarded connection. */
interface ForwardedPair {
  readonly port: number;
  error?: number;
  data?: number;
  peer?: Promise<Duplex>;
}

const MAX_PAIRS = 256;
const NO_DATA = Buffer.alloc(0);

/**
 * Serves the port-forward of a client, which tunnels SPDY/3.1 through a WebSocket. For each connection the client opens
 * a stream for its data and one for its error. A slow peer delays the whole session, since SPDY's flow control is not
 * used by kubectl.
 */
export class PortForwardSession {
  readonly #client: Duplex;
  readonly #deps: PortForwardDeps;
  readonly #parser = new SpdyFrameParser();
  readonly #reader = new SpdyHeaderReader();
  readonly #writer = new SpdyHeaderWriter();
  readonly #pairs = new Map<string, ForwardedPair>();
  readonly #byStream = new Map<number, string>();

  constructor(client: Duplex, deps: PortForwardDeps) {
    this.#client = client;
    this.#deps = deps;
  }

  /** Serves the client until it leaves. */
  async run(): Promise<void> {
    try {
      for await (const message of this.#client as AsyncIterable<Buffer | string>) {
        for (const frame of this.#parser.push(Buffer.from(message as Buffer))) {
          if (frame.type === 'goaway') return;
          await this.#handle(frame);
        }
      }
    } catch {
      // A client that leaves, or that does not speak SPDY, ends its session.
    } finally {
      for (const { peer } of this.#pairs.values()) void peer?.then((stream) => stream.destroy()).catch(() => undefined);
      this.#reader.close();
      this.#writer.close();
      this.#client.destroy();
    }
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    if (frame.type === 'ping') this.#send(pingFrame(frame.id));
    if (frame.type === 'syn-stream') await this.#open(frame.stream, await this.#reader.read(frame.headers));
    if (frame.type === 'rst-stream') await this.#reset(frame.stream);
    if (frame.type === 'data') await this.#receive(frame.stream, frame.data, frame.isLast);
  }

  async #open(stream: number, headers: ReadonlyMap<string, string>): Promise<void> {
    const type = headers.get('streamtype');
    const port = Number(headers.get('port'));
    const request = headers.get('requestid') ?? '';
    const isValid = (type === 'error' || type === 'data') && Number.isInteger(port) && port > 0 && port < 65_536;
    const pair = this.#pairs.get(request) ?? { port };
    if (!isValid || pair[type] !== undefined || pair.port !== port || this.#pairs.size >= MAX_PAIRS) {
      return void this.#send(refusalFrame(stream));
    }
    pair[type] = stream;
    this.#pairs.set(request, pair);
    this.#byStream.set(stream, request);
    this.#send(synReplyFrame(stream, await this.#writer.writeEmpty()));
    if (pair.data !== undefined && pair.error !== undefined) this.#forward(request, pair, pair.data, pair.error);
  }

  #forward(request: string, pair: ForwardedPair, data: number, error: number): void {
    const end = (problem: Buffer) => {
      if (!this.#pairs.has(request)) return;
      this.#send(dataFrame(data, NO_DATA, true));
      this.#send(dataFrame(error, problem, true));
      this.#forget(request, pair);
    };
    pair.peer = this.#deps.connect(pair.port);
    pair.peer
      .then((peer) => {
        peer.on('data', (chunk: Buffer) => this.#relay(peer, dataFrame(data, chunk)));
        return peer.once('end', () => end(NO_DATA)).once('error', (why) => end(this.#describe(pair, why)));
      })
      .catch((why: unknown) => end(this.#describe(pair, why)));
  }

  #describe({ port }: ForwardedPair, error: unknown): Buffer {
    return Buffer.from(this.#deps.describe(port, error));
  }

  #relay(peer: Duplex, frame: Buffer): void {
    if (this.#send(frame)) return;
    peer.pause();
    this.#client.once('drain', () => peer.resume());
  }

  async #receive(stream: number, data: Buffer, isLast: boolean): Promise<void> {
    const pair = this.#pairs.get(this.#byStream.get(stream) ?? '');
    if (pair?.data !== stream) return;
    const peer = await pair.peer?.catch(() => undefined);
    if (peer === undefined || peer.destroyed) return;
    if (data.length > 0 && !peer.write(data)) await waitForDrain(peer);
    if (isLast) peer.end();
  }

  async #reset(stream: number): Promise<void> {
    const request = this.#byStream.get(stream) ?? '';
    const pair = this.#pairs.get(request);
    if (pair === undefined) return;
    this.#forget(request, pair);
    (await pair.peer?.catch(() => undefined))?.destroy();
  }

  #forget(request: string, { data, error }: ForwardedPair): void {
    this.#pairs.delete(request);
    for (const stream of [data, error]) if (stream !== undefined) this.#byStream.delete(stream);
  }

  #send(frame: Buffer): boolean {
    return this.#client.destroyed || this.#client.writableEnded || this.#client.write(frame);
  }
}

/** Resolves when a stream can take more, or has ended. */
async function waitForDrain(stream: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('drain', resolve).once('close', resolve);
  await promise;
  stream.off('drain', resolve).off('close', resolve);
}
