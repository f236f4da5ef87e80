import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { UpgradedConnection } from '../../kube/api-extension.ts';
import type { Credentials as TlsCredentials } from '../access/pki.ts';
import type { User } from '../access/user.ts';
import { ApiError, badRequest, internal, tooLarge, tooManyRequests } from '../api-error.ts';
import { type Answer, statusAnswer } from './answer.ts';
import type { ApiRequest } from './api-request.ts';
import { keepWhilePaused } from './paused-socket.ts';

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

export interface ServerOptions {
  /** Loopback unless told otherwise. */
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: TlsCredentials & { readonly caPem: string };
  /** Who sends a request; throws an ApiError where credentials are bad. */
  readonly authenticate: (credentials: RequestCredentials) => Promise<User>;
  readonly handle: (request: ApiRequest) => Promise<Answer>;
  /** Requests at a time, watches not counted. */
  readonly maxInFlight?: number;
  readonly onRequest?: (finished: FinishedRequest) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export interface RequestCredentials {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly certificate?: { readonly value: X509Certificate; readonly trusted: boolean };
}

/** What metrics and the audit log record of a request. */
export interface FinishedRequest {
  readonly request: ApiRequest | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** From the first byte to the last. */
  readonly seconds: number;
  /** Whether the answer went on, as a watch does. */
  readonly streamed: boolean;
}

export interface ApiHttpServer {
  /** Requests that are being answered now, watches not counted. */
  readonly inFlight: number;
  readonly port: number;
  readonly url: string;
  /** Ends watches, lets other requests finish, and closes all connections. */
  close(): Promise<void>;
}

const LARGEST_BODY = 3 * 1024 * 1024;
const MAX_IN_FLIGHT = 600;
/** Of a large answer, how much is handed over at a time. */
const PIECE = 256 * 1024;
/** What all answers to one client that it has not read may take together. */
const SESSION_MEMORY_MIB = 256;
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 60_000;

/** Serves HTTP/1.1 and HTTP/2 on one port. */
export async function startServer(options: ServerOptions): Promise<ApiHttpServer> {
  const stopping = new AbortController();
  const load = { inFlight: 0 };
  const onRequest = requestListener(options, stopping.signal, load);
  const server = listenerFor(options, onRequest);
  server.on('upgrade', upgradeListener(onRequest, stopping.signal));
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    get inFlight() {
      return load.inFlight;
    },
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    async close() {
      stopping.abort(new Error('the server is stopping'));
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      for (const session of sessions.get(server) ?? []) session.close();
      await closed;
    },
  };
}

type RequestListener = (request: Request, response: Response, upgrade?: () => UpgradedConnection) => void;

/** A request to go on with another protocol is like any other, until somebody takes its connection over. */
function upgradeListener(onRequest: RequestListener, stopping: AbortSignal) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as TLSSocket);
    response.on('finish', () => socket.end());
    const end = () => socket.destroy();
    stopping.addEventListener('abort', end, { once: true });
    socket.on('error', end);
    socket.on('close', () => stopping.removeEventListener('abort', end));
    onRequest(request, response, () => {
      response.detachSocket(socket as TLSSocket);
      return { socket, head };
    });
  };
}

const sessions = new WeakMap<object, Set<{ close(): void }>>();

function listenerFor({ tls }: ServerOptions, onRequest: RequestListener): Server | Http2SecureServer {
  if (tls === undefined) {
    const server = createServer({ headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT }, onRequest);
    server.on('clientError', (_error, socket) => socket.destroy());
    return server;
  }
  const server = createSecureServer({
    allowHTTP1: true,
    key: tls.keyPem,
    cert: tls.certPem,
    ca: tls.caPem,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    maxSessionMemory: SESSION_MEMORY_MIB,
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 },
  });
  // Of HTTP/1.1 on the same port, which takes no such options.
  Object.assign(server, { headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT });
  const open = new Set<{ close(): void; destroy(): void }>();
  sessions.set(server, open);
  server.on('session', (session) => {
    open.add(session);
    session.on('close', () => open.delete(session));
    session.on('error', () => session.destroy());
  });
  server.on('secureConnection', keepWhilePaused);
  server.on('request', onRequest);
  for (const event of ['tlsClientError', 'sessionError', 'clientError', 'error'] as const) {
    server.on(event, (_error: unknown, socket?: { destroy?(): void }) => socket?.destroy?.());
  }
  return server;
}

function requestListener(options: ServerOptions, stopping: AbortSignal, load: { inFlight: number }) {
  const { maxInFlight = MAX_IN_FLIGHT, clock } = options;
  return (request: Request, response: Response, upgrade?: () => UpgradedConnection): void => {
    const end = lazySignal(response, stopping);
    if (load.inFlight >= maxInFlight) {
      const refusal = tooManyRequests('Too many requests, please try again later.', 1);
      void send(response, statusAnswer(refusal.status), end);
      return;
    }
    load.inFlight++;
    const began = clock.monotonic();
    let counted = true;
    const release = () => {
      if (counted) load.inFlight--;
      counted = false;
    };
    void (async () => {
      const [asked, result] = await answer(options, request, end, upgrade);
      // A place is for work: there may be thousands of watches, and clients that read slowly.
      release();
      await send(response, result, end);
      const { method = '', url: path = '' } = request;
      const seconds = (clock.monotonic() - began) / 1000;
      options.onRequest?.({
        request: asked,
        method,
        path,
        status: result.status,
        seconds,
        streamed: 'pieces' in result,
      });
    })().finally(release);
  };
}

/** Most requests never look at their signal, so that it is made when first asked for. */
function lazySignal(response: Response, stopping: AbortSignal): () => AbortSignal {
  let signal: AbortSignal | undefined;
  return () => {
    if (signal !== undefined) return signal;
    const gone = new AbortController();
    if (response.destroyed) gone.abort(new Error('the client is gone'));
    response.on('close', () => gone.abort(new Error('the client is gone')));
    signal = AbortSignal.any([gone.signal, stopping]);
    return signal;
  };
}

/** Never rejects: a fault of ours is a Status too. */
async function answer(
  options: ServerOptions,
  request: Request,
  end: () => AbortSignal,
  upgrade: (() => UpgradedConnection) | undefined,
): Promise<[ApiRequest | undefined, Answer]> {
  let asked: ApiRequest | undefined;
  try {
    const user = await options.authenticate(credentialsOf(request));
    asked = apiRequest(request, user, end, upgrade);
    return [asked, await options.handle(asked)];
  } catch (error) {
    const known = error instanceof ApiError ? error : internal(error);
    return [asked, statusAnswer(known.status)];
  }
}

function apiRequest(
  request: Request,
  user: User,
  end: () => AbortSignal,
  upgrade: (() => UpgradedConnection) | undefined,
): ApiRequest {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  let body: Promise<Buffer> | undefined;
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers: distinctHeaders(request),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    user,
    get signal() {
      return end();
    },
    body: () => {
      body ??= readBody(request);
      return body;
    },
    ...(upgrade === undefined ? {} : { upgrade }),
  };
}

/** Only impersonation tells two headers of one name from one with a comma; it is rare. */
function distinctHeaders({ headers, rawHeaders }: Request): ApiRequest['headers'] {
  if (!Object.keys(headers).some((name) => name.startsWith('impersonate-'))) return headers;
  const distinct: Record<string, string[]> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    distinct[name] = [...(distinct[name] ?? []), rawHeaders[i + 1] ?? ''];
  }
  return distinct;
}

async function readBody(request: Request): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
      chunks.push(chunk);
    }
  } catch (error) {
    // A client that goes away in the middle is no fault of ours.
    throw error instanceof ApiError ? error : badRequest('the body of the request broke off');
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function credentialsOf(request: Request): RequestCredentials {
  const socket = request.socket as TLSSocket;
  const certificate = certificateOf(socket);
  return { headers: request.headers, ...(certificate === undefined ? {} : { certificate }) };
}

const certificates = new WeakMap<object, RequestCredentials['certificate']>();

/** A connection shows one certificate for all its requests. */
function certificateOf(socket: TLSSocket): RequestCredentials['certificate'] {
  if (certificates.has(socket)) return certificates.get(socket);
  const value = socket.getPeerX509Certificate?.();
  const found = value === undefined ? undefined : { value, trusted: socket.authorized };
  certificates.set(socket, found);
  return found;
}

/**
 * Writes what is large piece by piece, and answers its last piece: what a client has yet to read counts against its
 * HTTP/2 session, which takes no further requests beyond a limit.
 */
async function lastPiece(response: ServerResponse, bytes: Uint8Array, end: () => AbortSignal): Promise<Uint8Array> {
  let sent = 0;
  for (; bytes.length - sent > PIECE; sent += PIECE) {
    if (!response.write(bytes.subarray(sent, sent + PIECE))) await once(response, 'drain', { signal: end() });
  }
  return sent === 0 ? bytes : bytes.subarray(sent);
}

async function send(to: Response, result: Answer, end: () => AbortSignal): Promise<void> {
  if ('upgraded' in result) return;
  // The two kinds of response are used alike; their overloads just do not unite.
  const response = to as ServerResponse;
  const common = { 'content-type': result.type, 'cache-control': 'no-cache, private' };
  try {
    if ('body' in result || 'bytes' in result) {
      const bytes = 'bytes' in result ? result.bytes : Buffer.from(result.body, 'utf8');
      // Who keeps the answer already takes its headers for those of what it keeps, which is not empty.
      const length = result.status === 304 ? {} : { 'content-length': bytes.length };
      response.writeHead(result.status, { ...common, ...length, ...result.headers });
      response.end(await lastPiece(response, bytes, end));
      return;
    }
    const signal = end();
    response.writeHead(result.status, common);
    response.flushHeaders();
    for await (const piece of result.pieces) {
      if (signal.aborted) break;
      // A client that does not read holds back its own watch, nobody else's.
      const last = piece.length > PIECE ? await lastPiece(response, Buffer.from(piece), end) : piece;
      if (!response.write(last)) await once(response, 'drain', { signal });
    }
    response.end();
  } catch {
    // The client is gone, or its connection broke: nobody is left to tell.
    response.destroy();
  }
}
