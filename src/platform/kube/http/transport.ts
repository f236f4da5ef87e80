import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import type { Clock } from '#platform/base/clock';
import type { Random } from '#platform/base/random';
import { KubeError } from '../kube-error.ts';
import type { ClusterAccess } from '../kubeconfig/cluster-access.ts';
import { responseError, type Wire, type WireRequest, type WireResponse } from './wire.ts';

export interface TransportDeps {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  /** Maximum number of connections. Watches have additional ones. */
  readonly connections?: number;
}

const CONNECTIONS = 32;
const ATTEMPTS = 6;
const FIRST_PAUSE = 100;
const MAX_PAUSE_MS = 10_000;

/** Sends requests to an API server. It manages credentials and connections, and retries where that is harmless. */
export class Transport implements Wire {
  readonly #parts: TransportDeps;
  #agents: { cert: string | undefined; ordinary: Dispatcher; watching: Dispatcher } | undefined;

  constructor(parts: TransportDeps) {
    this.#parts = parts;
  }

  async send(sent: WireRequest): Promise<WireResponse> {
    for (let attempt = 1; ; attempt++) {
      let failure: unknown;
      try {
        const response = await this.#once(sent, false);
        const { statusCode: status, headers } = response;
        const text = await response.body.text();
        if (status < 300) return { status, type: String(headers['content-type'] ?? ''), text };
        failure = responseError(status, text);
      } catch (error) {
        failure = error;
      }
      if (attempt >= ATTEMPTS || !this.#worthAnother(sent, failure)) throw failure;
      await this.#pause(attempt, failure, sent.signal);
    }
  }

  async stream(sent: WireRequest): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#once(sent, true);
    if (response.statusCode < 300) return response.body;
    throw responseError(response.statusCode, await response.body.text());
  }

  async close(): Promise<void> {
    const agents = this.#agents;
    this.#agents = undefined;
    await Promise.all([agents?.ordinary.destroy(), agents?.watching.destroy()]);
  }

  async #once(sent: WireRequest, watching: boolean): Promise<Dispatcher.ResponseData> {
    const { access, userAgent } = this.#parts;
    const credentials = await access.headers();
    const agents = await this.#connect();
    return await request(`${access.server}${sent.path}`, {
      dispatcher: watching ? agents.watching : agents.ordinary,
      method: sent.method,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(sent.contentType === undefined ? {} : { 'content-type': sent.contentType }),
        ...credentials,
      },
      ...(sent.body === undefined ? {} : { body: sent.body }),
      ...(sent.signal === undefined ? {} : { signal: sent.signal }),
      ...(watching ? { bodyTimeout: sent.silentMs ?? 0 } : {}),
    });
  }

  /** Returns the agents, with new connections if a plugin has issued a new certificate. */
  async #connect() {
    const { access, connections = CONNECTIONS } = this.#parts;
    const certificate = await access.certificate();
    if (this.#agents !== undefined && this.#agents.cert === certificate?.cert) return this.#agents;
    const tls = {
      ...(access.ca === undefined ? {} : { ca: access.ca }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
      ...(access.serverName === undefined ? {} : { servername: access.serverName }),
      rejectUnauthorized: !access.insecure,
    };
    // Over HTTP/2, an aborted request can leave an unhandled error behind, which ends the process.
    const agent = (limit: number | null): Dispatcher =>
      access.proxyUrl === undefined
        ? new Agent({ connections: limit, connect: tls, allowH2: false })
        : new ProxyAgent({ uri: access.proxyUrl, connections: limit, requestTls: tls, allowH2: false });
    const old = this.#agents;
    this.#agents = { cert: certificate?.cert, ordinary: agent(connections), watching: agent(null) };
    void old?.ordinary.close();
    return this.#agents;
  }

  /**
   * Reports whether to retry: only if the server rejected the request unprocessed, or if the request changes nothing.
   */
  #worthAnother({ method, signal }: WireRequest, failure: unknown): boolean {
    if (signal?.aborted === true) return false;
    if (!(failure instanceof KubeError)) return method === 'GET';
    if (failure.code === 401) return this.#parts.access.refused();
    if (failure.code === 429) return isBusy(failure);
    return method === 'GET' && failure.code >= 500 && failure.reason !== 'NotImplemented';
  }

  async #pause(attempt: number, failure: unknown, signal: AbortSignal | undefined): Promise<void> {
    const { clock, random } = this.#parts;
    const requested = failure instanceof KubeError ? (failure.details.retryAfterSeconds ?? 0) * 1000 : 0;
    const backOff = Math.min(MAX_PAUSE_MS, FIRST_PAUSE * 2 ** (attempt - 1));
    await clock.sleep(Math.max(requested, backOff * (0.5 + random.next())), signal);
  }
}

/**
 * Reports whether the server is overloaded. It may name a retry time, or not even that; a disallowed eviction has
 * neither.
 */
function isBusy({ reason, details }: KubeError): boolean {
  return details.causes === undefined && (reason === '' || details.retryAfterSeconds !== undefined);
}
