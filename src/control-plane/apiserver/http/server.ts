import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '#platform/base/clock';
import type { UpgradedConnection } from '#platform/kube/api-extension';
import type { RequestCredentials } from '../access/authenticate.ts';
import type { Credentials as TlsCredentials } from '../access/pki.ts';
import type { User } from '../access/user.ts';
import { ApiError, clientGone, internal, requestTimedOut } from '../api-error.ts';
import type { FlowControl, FlowTicket } from '../flow-control/flow-control.ts';
import type { AnnounceWork } from '../flow-control/work.ts';
import type { ApiRequest } from './api-request.ts';
import { acceptsGzip } from './compression.ts';
import { Connections } from './connections.ts';
import { paceHandshakes } from './paced-handshakes.ts';
import { keepWhilePaused } from './paused-socket.ts';
import { rejectConnection, rejectTunnel } from './reject-connection.ts';
import { readBody } from './request-body.ts';
import { type HttpResponse, statusResponse } from './response.ts';
import { isGone, type Response, send } from './sending.ts';

type Request = IncomingMessage | Http2ServerRequest;

export interface ServerOptions {
  /** Host to listen on. Defaults to loopback. */
  readonly host: string;
  /** Port to listen on; 0 selects any free one. */
  readonly port: number;
  /** TLS credentials. If absent, the server uses plain HTTP. */
  readonly tls?: TlsCredentials & { readonly caPem: string };
  /** Authenticates the sender of a request. Throws an ApiError if the credentials are invalid. */
  readonly authenticate: (credentials: RequestCredentials) => Promise<User>;
  readonly handle: (request: ApiRequest) => Promise<HttpResponse>;
  /** Admits requests fairly between users. */
  readonly flowControl: FlowControl;
  /** Maximum time of a request, except for watches and connections that are taken over. */
  readonly requestTimeoutMs?: number;
  /** Maximum time that a client may stall while reading before its connection is closed. */
  readonly slowClientMs?: number;
  /** Maximum time that a client may pause while sending a body. */
  readonly idleBodyMs?: number;
  /** Maximum time of a TLS handshake. */
  readonly handshakeMs?: number;
  /** Maximum time that a client may stall while reading the responses in progress when the server stops. */
  readonly graceMs?: number;
  readonly onRequest?: (finished: FinishedRequest) => void;
  readonly clock: Pick<Clock, 'monotonic' | 'timer' | 'turn'>;
  /** Generates request IDs. */
  readonly uuid: () => string;
}

/** Holds what metrics and the audit log record of a request. */
export interface FinishedRequest {
  readonly request: ApiRequest | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Duration from the first byte to the last. */
  readonly seconds: number;
  /** Set if the response was a stream, as for a watch. */
  readonly streamed: boolean;
  /** ID of this request as sent to the client. */
  readonly auditId: string;
}

export interface ApiHttpServer {
  readonly port: number;
  readonly url: string;
  /** Ends watches, lets other requests finish, and closes all connections. */
  close(): Promise<void>;
}

/** Maximum memory for all unread responses of one client. */
const SESSION_MEMORY_MIB = 256;
const SLOW_CLIENT_MS = 60_000;
const IDLE_BODY_MS = 15_000;
const HANDSHAKE_MS = 10_000;
const GRACE_MS = 1_000;
const HEADERS_TIMEOUT = 10_000;
/** Timeout of kube-apiserver. */
const REQUEST_TIMEOUT = 60_000;

/** Serves HTTP/1.1 and HTTP/2 on one port. */
export async function startServer(options: ServerOptions): Promise<ApiHttpServer> {
  const stopping = new AbortController();
  const connections = new Connections(options.slowClientMs ?? SLOW_CLIENT_MS, options.graceMs ?? GRACE_MS);
  const onRequest = requestListener(options, stopping.signal, connections);
  const server = listenerFor(options, onRequest, connections);
  server.on('upgrade', upgradeListener(onRequest, stopping.signal));
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    async close() {
      stopping.abort(new Error('the server is stopping'));
      const closed = once(server, 'close');
      server.close();
      connections.close();
      await closed;
    },
  };
}

type RequestListener = (request: Request, response: Response, upgrade?: () => UpgradedConnection) => void;

/** Handles an upgrade request like any other, until a handler takes over its connection. */
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

function listenerFor(
  { tls, handshakeMs: handshakeTimeout = HANDSHAKE_MS, flowControl }: ServerOptions,
  onRequest: RequestListener,
  connections: Connections,
): Server | Http2SecureServer {
  if (tls === undefined) {
    const server = createServer({ headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT }, onRequest);
    server.on('connection', (socket) => connections.add(socket));
    server.on('clientError', rejectConnection);
    server.on('connect', rejectTunnel);
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
    handshakeTimeout,
    maxSessionMemory: SESSION_MEMORY_MIB,
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 256 * 1024 },
  });
  // These apply to HTTP/1.1 on the same port; the options of an HTTP/2 server do not include them.
  Object.assign(server, { headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT });
  paceHandshakes(server, handshakeTimeout, (address) => flowControl.beginHandshake(address));
  server.on('secureConnection', keepWhilePaused);
  server.on('connection', (socket) => connections.addRaw(socket));
  server.on('secureConnection', (socket) => connections.add(socket));
  server.on('session', (session) => connections.addSession(session));
  server.on('request', onRequest);
  server.on('clientError', rejectConnection);
  server.on('connect', rejectTunnel);
  for (const event of ['tlsClientError', 'sessionError', 'error'] as const) {
    server.on(event, (_error: unknown, socket?: { destroy?(): void }) => socket?.destroy?.());
  }
  return server;
}

function requestListener(options: ServerOptions, stopping: AbortSignal, connections: Connections): RequestListener {
  const { slowClientMs: slowMs = SLOW_CLIENT_MS, clock } = options;
  const serve: (...args: Parameters<RequestListener>) => Promise<void> = async (request, response, upgrade) => {
    const began = clock.monotonic();
    const connection = connections.of(request);
    const turn = connection.enter();
    if (turn !== undefined) await turn;
    let placed = true;
    const leave = (): void => {
      if (placed) connection.leave();
      placed = false;
    };
    try {
      if (isGone(response)) return;
      const end = lazySignal(response, stopping);
      const { asked: requested, result, work, endStream } = await answer(options, request, response, end, upgrade);
      // There may be many watches on one HTTP/2 session, and none of them ends.
      const streamed = 'pieces' in result;
      if (streamed && 'stream' in request) leave();
      const auditId = auditIdOf(request) ?? options.uuid();
      const gzip = request.method === 'GET' && acceptsGzip(request.headers['accept-encoding']);
      await send({ response, end, slowMs, clock, auditId, gzip, work }, result);
      endStream?.();
      const { method = '', url = '' } = request;
      const path = originForm(url);
      const seconds = (clock.monotonic() - began) / 1000;
      options.onRequest?.({ request: requested, method, path, status: result.status, seconds, streamed, auditId });
    } finally {
      leave();
    }
  };
  return (request, response, upgrade) => void serve(request, response, upgrade);
}

/** Returns the request ID that the client chose, if any. */
function auditIdOf({ headers }: Request): string | undefined {
  const given = headers['audit-id'];
  return typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : undefined;
}

/**
 * Shared by all requests: hundreds of watches may end at once, and capturing a stack trace for each would take a while.
 */
const CLIENT_GONE = new Error('the client disconnected');

/** Creates the signal on first use, because most requests never use it. */
function lazySignal(response: Response, stopping: AbortSignal): () => AbortSignal {
  let ending: AbortController | undefined;
  return () => {
    if (ending !== undefined) return ending.signal;
    // It has its own controller, because a signal combined from several is slow to report that it is not aborted.
    const made = new AbortController();
    ending = made;
    const stop = (): void => made.abort(stopping.reason);
    const gone = (): void => {
      stopping.removeEventListener('abort', stop);
      made.abort(CLIENT_GONE);
    };
    if (isGone(response)) gone();
    else if (stopping.aborted) stop();
    else {
      stopping.addEventListener('abort', stop, { once: true });
      response.on('close', gone);
    }
    return made.signal;
  };
}

/** Holds a response, and what sending it needs to know of the request. */
interface Answered {
  readonly asked: ApiRequest | undefined;
  readonly result: HttpResponse;
  readonly work: AnnounceWork;
  /** Releases what an endless response holds. */
  readonly endStream?: () => void;
}

/** Handles a request. Never rejects: an internal error becomes a Status too. */
async function answer(
  options: ServerOptions,
  request: Request,
  response: Response,
  end: () => AbortSignal,
  upgrade: (() => UpgradedConnection) | undefined,
): Promise<Answered> {
  let requested: ApiRequest | undefined;
  let ticket: FlowTicket | undefined;
  const work: AnnounceWork = (units) => ticket?.work(units);
  try {
    const user = await options.authenticate(credentialsOf(request));
    const admitted = options.flowControl.admit(user, pathOf(request), () => isGone(response));
    ticket = admitted instanceof Promise ? await admitted : admitted;
    if (isGone(response)) throw clientGone();
    requested = apiRequest(request, user, end, upgrade, ticket, options);
    const handling = options.handle(requested);
    const result = await (upgrade === undefined ? inTime(handling, options) : handling);
    return { asked: requested, result, work, ...('pieces' in result ? { endStream: ticket.beginStream() } : {}) };
  } catch (error) {
    const known = error instanceof ApiError ? error : internal(error);
    return { asked: requested, result: statusResponse(known.status), work };
  } finally {
    ticket?.finish();
  }
}

/** Returns the handler's response, unless it exceeds the timeout. */
async function inTime(
  handling: Promise<HttpResponse>,
  { clock, requestTimeoutMs = REQUEST_TIMEOUT }: ServerOptions,
): Promise<HttpResponse> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.timer(requestTimeoutMs, () => reject(requestTimedOut()));
  });
  try {
    return await Promise.race([handling, late]);
  } finally {
    timer?.cancel();
  }
}

function pathOf({ url = '/' }: Request): string {
  const target = originForm(url);
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

function apiRequest(
  request: Request,
  user: User,
  end: () => AbortSignal,
  upgrade: (() => UpgradedConnection) | undefined,
  ticket: FlowTicket,
  { idleBodyMs = IDLE_BODY_MS, requestTimeoutMs = REQUEST_TIMEOUT, clock }: ServerOptions,
): ApiRequest {
  const target = originForm(request.url ?? '/');
  const mark = target.indexOf('?');
  let body: Promise<Uint8Array> | undefined;
  return {
    method: request.method ?? 'GET',
    path: pathOf(request),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers: distinctHeaders(request),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    user,
    notes: {},
    get signal() {
      return end();
    },
    body: () => {
      body ??= ticket.receive(lengthOf(request), () =>
        readBody(request, { idleMs: idleBodyMs, totalMs: requestTimeoutMs }, clock, ticket.work),
      );
      return body;
    },
    work: ticket.work,
    thread: ticket.thread,
    ...(upgrade === undefined ? {} : { upgrade }),
  };
}

/** Returns the Content-Length of a request, if it has one. */
function lengthOf({ headers }: Request): number | undefined {
  const announced = headers['content-length'];
  return announced === undefined ? undefined : Number(announced);
}

/** Returns the path of a target, which may include the server, as with a proxy (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [, rest = target] = /^https?:\/\/[^/?]*(.*)$/i.exec(target) ?? [];
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Returns the headers with repeated ones kept apart. Only impersonation distinguishes them from one with a comma, and
 * it is rare.
 */
function distinctHeaders({ headers, rawHeaders }: Request): ApiRequest['headers'] {
  if (!Object.keys(headers).some((name) => name.startsWith('impersonate-'))) return headers;
  const distinct: Record<string, string[]> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    distinct[name] = [...(distinct[name] ?? []), rawHeaders[i + 1] ?? ''];
  }
  return distinct;
}

/**
 * Reports whether a request comes from another site's page. A browser presents its certificate for every page, so that
 * such a request must not act as its user.
 */
function isOfForeignPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
}

function credentialsOf(request: Request): RequestCredentials {
  const socket = socketOf(request);
  const certificate = isOfForeignPage(request) ? undefined : certificateOf(socket);
  return { headers: request.headers, ends: socket, ...(certificate === undefined ? {} : { certificate }) };
}

/** Returns the socket of a connection: every HTTP/2 request has its own object for it. */
function socketOf(request: Request): TLSSocket {
  const session = 'stream' in request ? request.stream.session : undefined;
  return (session?.socket ?? request.socket) as TLSSocket;
}

const certificates = new WeakMap<object, RequestCredentials['certificate']>();

/** Returns the certificate of a connection, which is the same for all its requests. */
function certificateOf(socket: TLSSocket): RequestCredentials['certificate'] {
  if (certificates.has(socket)) return certificates.get(socket);
  const value = socket.getPeerX509Certificate?.();
  const found = value === undefined ? undefined : { value, trusted: socket.authorized };
  certificates.set(socket, found);
  return found;
}
