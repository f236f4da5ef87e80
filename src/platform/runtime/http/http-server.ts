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
  /** Address to listen on. Defaults to loopback, because the content is not public. */
  readonly host?: string;
  /** Port to listen on. 0 selects any free port. */
  readonly port: number;
  readonly routes?: readonly Route[];
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Serves HTTPS and requests an optional client certificate, by which routes can check identities. No client can
   * connect before `secure` was called.
   */
  readonly https?: boolean;
  /** Formats the server's own error responses. Defaults to a line of text. */
  readonly refusal?: (text: string) => { readonly type: string; readonly body: string };
  /** Maximum time for a response. */
  readonly answerMs?: number;
  /** Maximum time for a client to send a request, and the interval of the check. */
  readonly requestMs?: number;
  /** Time that a stop waits for responses in progress. */
  readonly graceMs?: number;
}

export interface HttpServer extends Runnable {
  readonly port: number;
  readonly url: string;
  /** Adds a route while the server runs, and returns a function that removes it. */
  mount(route: Route): () => void;
  /** Sets the TLS context of new connections, for HTTPS. */
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
 * Go clients keep an idle connection for 90 s. If the server closed it first, a request could be in flight at that
 * moment and be lost, which must not happen to an admission webhook.
 */
const KEEP_ALIVE = { keepAliveTimeout: 120_000 };
const CLIENT_CERTIFICATES = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
const MAX_CONNECTIONS = 1024;

/**
 * Serves routes over HTTP/1.1, plain or with TLS, until the signal is aborted or it is closed. Rejects if the port is
 * not available.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host = LOOPBACK, clock, graceMs = GRACE_MS } = options;
  const routes = new Routes();
  for (const route of options.routes ?? []) routes.add(route);
  const stopping = new AbortController();
  const serving = {
    ...LIMITS,
    ...(options.requestMs === undefined ? {} : slownessLimits(options.requestMs)),
    // A denied upgrade is handled as a normal request, whose response states the reason.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      upgradeOf(routes, request) !== undefined && sourceDenial(request, options.allowedHosts) === undefined,
  };
  const authorize = options.authorize ?? createAuthorizer();
  const encrypted =
    options.https === true ? createSecureServer({ ...serving, ...KEEP_ALIVE, ...CLIENT_CERTIFICATES }) : undefined;
  const server: Server = encrypted ?? createServer(serving);
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    // A keep-alive connection would delay the stop.
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
    stopping.abort(new Error('the server is stopping'));
    using _limit = clock.timer(graceMs, () => server.closeAllConnections());
    for (const socket of upgraded) socket.destroy();
    await gone;
  }

  return {
    name: `HTTP server on port ${port}`,
    port,
    url: `${encrypted === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    mount: (route) => routes.add(route),
    secure: (context) => encrypted?.setSecureContext({ ...context, minVersion: CLIENT_CERTIFICATES.minVersion }),
    close: () => (closed ??= close()),
    async run(signal) {
      await waitForAbort(signal);
      await (closed ??= close());
    },
  };
}

/** Tracks upgraded connections, which the server no longer closes itself. */
function followUpgrades(server: Server, routes: Routes, log: Logger): ReadonlySet<Duplex> {
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    try {
      upgradeOf(routes, request)?.(socket, head);
    } catch (error) {
      log.error({ path: request.url, err: error }, 'failed to hand over a connection');
      socket.destroy();
    }
  });
  return open;
}

function upgradeOf(routes: Routes, request: IncomingMessage): ((socket: Duplex, head: Buffer) => void) | undefined {
  const found = routes.find('GET', pathOf(request));
  const route = 'route' in found ? found.route : undefined;
  // Authorization happens while a request is handled, but a connection is handed over before.
  if (route?.upgrade === undefined || needsAuthorization(route, request)) return undefined;
  return (socket, head) => route.upgrade?.(request, socket, head);
}

/** Handles a request. It never rejects. */
async function answer(
  options: HttpServerOptions & Required<Pick<HttpServerOptions, 'authorize'>>,
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, log, answerMs = ANSWER_MS, refusal = asText } = options;
  const path = pathOf(request);
  // Pages of other origins must not read the response, no matter how a browser would interpret it.
  response.setHeader('cross-origin-resource-policy', 'same-origin').setHeader('x-content-type-options', 'nosniff');
  const refuse = (to: ServerResponse, status: number, text: string) => sendError(to, status, refusal(text));
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
  response.on('close', () => over.abort(new Error('the client disconnected')));
  using _limit = clock.timer(found.route.streams === true ? Number.POSITIVE_INFINITY : answerMs, () => {
    over.abort(new Error('the response timed out'));
    refuse(response, 503, 'the response timed out');
  });
  try {
    const denial = needsAuthorization(found.route, request) ? await options.authorize(request, over.signal) : undefined;
    if (denial !== undefined) return deny(denial);
    await found.route.handle(request, response, AbortSignal.any([over.signal, stopping]));
  } catch (error) {
    if (error instanceof TooLargeError) refuse(response, 413, error.message);
    else if (stopping.aborted) refuse(response, 503, 'the server is stopping');
    else {
      if (!over.signal.aborted) log.error({ path, err: error }, 'failed to handle a request');
      refuse(response, 500, 'internal error');
    }
  }
}

/** Reports whether a request needs authorization. By default, requests that change nothing do not. */
function needsAuthorization({ access }: Route, { method }: IncomingMessage): boolean {
  return (access ?? (method === 'GET' || method === 'HEAD' ? 'open' : 'authorized')) === 'authorized';
}

/** Sends an error response. If a response has already begun, the connection is aborted instead. */
function sendError(response: ServerResponse, status: number, { type, body }: Refusal): void {
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  // The rest of the request is not read.
  response.writeHead(status, { 'content-type': type, connection: 'close' }).end(body);
}

type Refusal = ReturnType<NonNullable<HttpServerOptions['refusal']>>;

const asText = (text: string): Refusal => ({ type: 'text/plain; charset=utf-8', body: `${text}\n` });

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}
