import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '#platform/base/clock';
import type { SocketEnds } from '#platform/base/socket-owner';
import type { UpgradedConnection } from '#platform/kube/api-extension';
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
  /** Loopback unless told otherwise. */
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: TlsCredentials & { readonly caPem: string };
  /** Who sends a request; throws an ApiError where credentials are bad. */
  readonly authenticate: (credentials: RequestCredentials) => Promise<User>;
  readonly handle: (request: ApiRequest) => Promise<HttpResponse>;
  /** Lets requests in, fairly between users. */
  readonly flowControl: FlowControl;
  /** Time that a request may take, watches and connections that are taken over not counted. */
  readonly requestTimeoutMs?: number;
  /** How long a client may read nothing of what is sent to it before its connection is closed. */
  readonly slowClientMs?: number;
  /** How long a client may send nothing of a body that it has begun. */
  readonly idleBodyMs?: number;
  /** How long a client may take to agree on how to encrypt. */
  readonly handshakeMs?: number;
  /** How long a client may read nothing of the answers under way when the server stops. */
  readonly graceMs?: number;
  readonly onRequest?: (finished: FinishedRequest) => void;
  readonly clock: Pick<Clock, 'monotonic' | 'timer' | 'turn'>;
  /** Names requests. */
  readonly uuid: () => string;
}

export interface RequestCredentials {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly certificate?: { readonly value: X509Certificate; readonly trusted: boolean };
  /** The connection that the request came by. */
  readonly ends?: SocketEnds;
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
  /** What the client was told that this request goes by. */
  readonly auditId: string;
}

export interface ApiHttpServer {
  readonly port: number;
  readonly url: string;
  /** Ends watches, lets other requests finish, and closes all connections. */
  close(): Promise<void>;
}

/** What all answers to one client that it has not read may take together. */
const SESSION_MEMORY_MIB = 256;
const SLOW_CLIENT_MS = 60_000;
const IDLE_BODY_MS = 15_000;
const HANDSHAKE_MS = 10_000;
const GRACE_MS = 1_000;
const HEADERS_TIMEOUT = 10_000;
/** That of kube-apiserver. */
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
  // Of HTTP/1.1 on the same port, which takes no such options.
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
      const { asked, result, work, endStream } = await answer(options, request, response, end, upgrade);
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
      options.onRequest?.({ request: asked, method, path, status: result.status, seconds, streamed, auditId });
    } finally {
      leave();
    }
  };
  return (request, response, upgrade) => void serve(request, response, upgrade);
}

/** A client may name its requests itself. */
function auditIdOf({ headers }: Request): string | undefined {
  const given = headers['audit-id'];
  return typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : undefined;
}

/** One for all: hundreds of watches may end at once, and to find out where each was would take a while. */
const CLIENT_GONE = new Error('the client is gone');

/** Most requests never look at their signal, so that it is made when first asked for. */
function lazySignal(response: Response, stopping: AbortSignal): () => AbortSignal {
  let ending: AbortController | undefined;
  return () => {
    if (ending !== undefined) return ending.signal;
    // One of its own, since one made of several takes its time to say that it is not aborted.
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

/** A response, and what sending it needs to know of the request. */
interface Answered {
  readonly asked: ApiRequest | undefined;
  readonly result: HttpResponse;
  readonly work: AnnounceWork;
  /** Ends what a response without an end holds. */
  readonly endStream?: () => void;
}

/** Never rejects: a fault of ours is a Status too. */
async function answer(
  options: ServerOptions,
  request: Request,
  response: Response,
  end: () => AbortSignal,
  upgrade: (() => UpgradedConnection) | undefined,
): Promise<Answered> {
  let asked: ApiRequest | undefined;
  let ticket: FlowTicket | undefined;
  const work: AnnounceWork = (units) => ticket?.work(units);
  try {
    const user = await options.authenticate(credentialsOf(request));
    const admitted = options.flowControl.admit(user, pathOf(request), () => isGone(response));
    ticket = admitted instanceof Promise ? await admitted : admitted;
    if (isGone(response)) throw clientGone();
    asked = apiRequest(request, user, end, upgrade, ticket, options);
    const handling = options.handle(asked);
    const result = await (upgrade === undefined ? inTime(handling, options) : handling);
    return { asked, result, work, ...('pieces' in result ? { endStream: ticket.beginStream() } : {}) };
  } catch (error) {
    const known = error instanceof ApiError ? error : internal(error);
    return { asked, result: statusResponse(known.status), work };
  } finally {
    ticket?.finish();
  }
}

/** What a handler responds, unless that takes too long. */
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
  let body: Promise<Buffer> | undefined;
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

/** The length that the client announced, if it did. */
function lengthOf({ headers }: Request): number | undefined {
  const announced = headers['content-length'];
  return announced === undefined ? undefined : Number(announced);
}

/** A client may name the server before the path, as it does with a proxy (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [, rest = target] = /^https?:\/\/[^/?]*(.*)$/i.exec(target) ?? [];
  return rest.startsWith('/') ? rest : `/${rest}`;
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

/** A browser presents its certificate for every page: one that belongs to another site is not its user. */
function isOfForeignPage({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
}

function credentialsOf(request: Request): RequestCredentials {
  const socket = socketOf(request);
  const certificate = isOfForeignPage(request) ? undefined : certificateOf(socket);
  return { headers: request.headers, ends: socket, ...(certificate === undefined ? {} : { certificate }) };
}

/** The socket of a connection: every HTTP/2 request has an object of its own for it. */
function socketOf(request: Request): TLSSocket {
  const session = 'stream' in request ? request.stream.session : undefined;
  return (session?.socket ?? request.socket) as TLSSocket;
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
