import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Runnable } from '../runnable.ts';
import { waitForAbort } from '../wait-for-abort.ts';
import { type AccessOptions, createAuthorizer, type Denial, sourceDenial } from './access.ts';
import { MAX_BODY_BYTES, TooLargeError } from './body.ts';
import { type Route, Routes } from './route.ts';

export interface HttpServerOptions extends AccessOptions {
  /** Loopback where absent: what is told here is not for everybody. */
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly routes?: readonly Route[];
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Serve by HTTPS. Clients are asked for a certificate, which they need not have: routes look at who they are. Nobody
   * can connect before `secure` was called.
   */
  readonly https?: boolean;
  /** How what the server itself refuses is told; as a line of text where absent. */
  readonly refusal?: (text: string) => { readonly type: string; readonly body: string };
  /** How long an answer may take. */
  readonly answerMs?: number;
  /** How long a client may take to send a request, and how often that is looked at. */
  readonly requestMs?: number;
  /** How long a stop waits for answers that are under way. */
  readonly graceMs?: number;
}

export interface HttpServer extends Runnable {
  readonly port: number;
  readonly url: string;
  /** Adds a route while the server runs; returns how to take it out. */
  mount(route: Route): () => void;
  /** What new connections are served with from now on; for HTTPS. */
  secure(context: SecureContextOptions): void;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const ANSWER_MS = 30_000;
const GRACE_MS = 500;
const slownessLimits = (ms: number) => ({ headersTimeout: ms, requestTimeout: ms, connectionsCheckingInterval: ms });
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 5000,
};
/**
 * Clients in Go keep an idle connection for 90 s. Where the server closed it first, one of their requests could be on its
 * way at that moment, and be lost: what an admission webhook must not do.
 */
const KEPT_FOR_GO = { keepAliveTimeout: 120_000 };
const ASKS_WHO = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
const MAX_CONNECTIONS = 1024;

/** Serves routes over HTTP/1.1, plain or encrypted. Rejects where the port cannot be had; runs, then, until the signal or until it is closed. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = LOOPBACK, clock, graceMs = GRACE_MS } = options;
  const routes = new Routes();
  for (const route of options.routes ?? []) routes.add(route);
  const stopping = new AbortController();
  const serving = {
    ...LIMITS,
    ...(options.requestMs === undefined ? {} : slownessLimits(options.requestMs)),
    // What is denied is answered as any other request, which says why.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      upgradeOf(routes, request) !== undefined && sourceDenial(request, options.allowedHosts) === undefined,
  };
  const authorize = options.authorize ?? createAuthorizer();
  const encrypted =
    options.https === true ? createSecureServer({ ...serving, ...KEPT_FOR_GO, ...ASKS_WHO }) : undefined;
  const server: Server = encrypted ?? createServer(serving);
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    // A connection that is kept for further requests would hold up the stop.
    response.on('close', () => stopping.signal.aborted && server.closeIdleConnections());
    void answer({ ...options, authorize }, routes, request, response, stopping.signal);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const upgraded = followUpgrades(server, routes, options.log);
  server.listen(options.port, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    const gone = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    stopping.abort(new Error('the server stops'));
    using _limit = clock.timer(graceMs, () => server.closeAllConnections());
    for (const socket of upgraded) socket.destroy();
    await gone;
  }

  return {
    name: `HTTP server on port ${port}`,
    port,
    url: `${encrypted === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    mount: (route) => routes.add(route),
    secure: (context) => encrypted?.setSecureContext({ ...context, minVersion: ASKS_WHO.minVersion }),
    close: () => (closed ??= close()),
    async run(signal) {
      await waitForAbort(signal);
      await (closed ??= close());
    },
  };
}

/** Connections that were handed over are no longer the server's to close. */
function followUpgrades(server: Server, routes: Routes, log: Logger): ReadonlySet<Duplex> {
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    try {
      upgradeOf(routes, request)?.(socket, head);
    } catch (error) {
      log.error({ path: request.url, err: error }, 'a connection could not be handed over');
      socket.destroy();
    }
  });
  return open;
}

function upgradeOf(routes: Routes, request: IncomingMessage): ((socket: Duplex, head: Buffer) => void) | undefined {
  const found = routes.find('GET', pathOf(request));
  const route = 'route' in found ? found.route : undefined;
  // Who may change something is found out while a request is answered, and a connection is handed over before.
  if (route?.upgrade === undefined || needsAuthorization(route, request)) return undefined;
  return (socket, head) => route.upgrade?.(request, socket, head);
}

/** Never rejects. */
async function answer(
  options: HttpServerOptions & Required<Pick<HttpServerOptions, 'authorize'>>,
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, log, answerMs = ANSWER_MS, refusal = asText } = options;
  const path = pathOf(request);
  // Pages of others get nothing of it, however a browser would read it.
  response.setHeader('cross-origin-resource-policy', 'same-origin').setHeader('x-content-type-options', 'nosniff');
  const refuse = (to: ServerResponse, status: number, text: string) => refuseWith(to, status, refusal(text));
  const deny = ({ status, text }: Denial) =>
    refuse(status === 401 ? response.setHeader('www-authenticate', 'Bearer') : response, status, text);
  const foreign = sourceDenial(request, options.allowedHosts);
  if (foreign !== undefined) return deny(foreign);
  const found = routes.find(request.method ?? 'GET', path);
  if (!('route' in found)) {
    if (found.allow.length === 0) refuse(response, 404, 'not found');
    else refuse(response.setHeader('allow', found.allow.join(', ')), 405, 'method not allowed');
    return;
  }
  if (Number(request.headers['content-length'] ?? 0) > (found.route.maxBodyBytes ?? MAX_BODY_BYTES)) {
    refuse(response, 413, 'the body is too large');
    return;
  }
  const over = new AbortController();
  response.on('close', () => over.abort(new Error('the client is gone')));
  using _limit = clock.timer(found.route.streams === true ? Number.POSITIVE_INFINITY : answerMs, () => {
    over.abort(new Error('the answer took too long'));
    refuse(response, 503, 'the answer took too long');
  });
  try {
    const denial = needsAuthorization(found.route, request) ? await options.authorize(request, over.signal) : undefined;
    if (denial !== undefined) return deny(denial);
    await found.route.handle(request, response, AbortSignal.any([over.signal, stopping]));
  } catch (error) {
    if (error instanceof TooLargeError) refuse(response, 413, error.message);
    else if (stopping.aborted) refuse(response, 503, 'the server stops');
    else {
      if (!over.signal.aborted) log.error({ path, err: error }, 'a request could not be answered');
      refuse(response, 500, 'a fault of the server');
    }
  }
}

/** Nobody who asks changes anything, unless a route says so. */
function needsAuthorization({ access }: Route, { method }: IncomingMessage): boolean {
  return (access ?? (method === 'GET' || method === 'HEAD' ? 'open' : 'authorized')) === 'authorized';
}

/** An answer that has begun already cannot be taken back: the client sees it break off. */
function refuseWith(response: ServerResponse, status: number, { type, body }: Refusal): void {
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  // Whatever is still to come of the request is not read.
  response.writeHead(status, { 'content-type': type, connection: 'close' }).end(body);
}

type Refusal = ReturnType<NonNullable<HttpServerOptions['refusal']>>;

const asText = (text: string): Refusal => ({ type: 'text/plain; charset=utf-8', body: `${text}\n` });

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
