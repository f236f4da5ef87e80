import type { Logger } from '#platform/base/logger';
import type { Authenticator } from './access/authenticate.ts';
import type { Pki } from './access/pki.ts';
import { unauthorized } from './api-error.ts';
import type { Backend } from './backend.ts';
import type { FlowControl } from './flow-control/flow-control.ts';
import { auditLine } from './http/audit-log.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import { type ApiHttpServer, type ServerOptions, startServer } from './http/server.ts';
import { publishOwnService } from './own-service.ts';
import { systemContext } from './own-users.ts';
import type { RequestHandler, ServingState } from './request-handler.ts';

export interface ListenOptions {
  readonly host?: string;
  readonly port?: number;
  readonly advertised?: string;
  readonly insecure?: boolean;
  readonly audit?: (line: string) => void;
}

export interface ListenDeps {
  readonly backend: Backend;
  readonly handle: RequestHandler['handle'];
  readonly authenticator: Authenticator;
  readonly flowControl: FlowControl;
  readonly metrics: RequestMetrics;
  readonly pki: Pki;
  /** CIDR of the addresses of services. */
  readonly serviceRange: string;
  /** Updated once the server listens. */
  readonly state: ServingState;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Listens for requests, and publishes the address as the service `kubernetes`. */
export async function listen(options: ListenOptions, deps: ListenDeps): Promise<ApiHttpServer> {
  const { backend, handle, flowControl, metrics, pki, state } = deps;
  const { host = '127.0.0.1', port = 0, advertised } = options;
  const { clock } = backend;
  const names = backend.random.fork('requests');
  const server = await startServer({
    host,
    port,
    ...(options.insecure === true ? {} : { tls: { ...pki.server, caPem: pki.caPem } }),
    authenticate: authenticate(deps),
    handle,
    flowControl,
    clock,
    uuid: () => names.uuid(),
    onRequest: (finished) => {
      metrics.record(finished);
      options.audit?.(auditLine(finished, new Date(clock.now()).toISOString()));
    },
  });
  state.address = advertised === undefined ? server.url : `https://${advertised}:${server.port}`;
  await publishOwnService(backend, systemContext(deps.signal), {
    serviceRange: deps.serviceRange,
    port: server.port,
    ...(advertised === undefined ? {} : { advertised }),
  });
  state.ready = true;
  return server;
}

function authenticate({ authenticator, log }: ListenDeps): ServerOptions['authenticate'] {
  return async (credentials) => {
    const found = await authenticator.authenticate(credentials);
    if ('user' in found) return found.user;
    log.debug({ why: found.refused }, 'credentials rejected');
    throw unauthorized();
  };
}
