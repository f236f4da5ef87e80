import { join } from 'node:path';
import { exporterRoutes, formatRejection } from '#fleet/exporter/routes';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import { type AccessToken, createAccessToken, tokenFileOf } from '#platform/kube/access-token';
import { type AccessOptions, createAuthorizer } from '#platform/runtime/http/access';
import { healthRoutes } from '#platform/runtime/http/health-routes';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '#platform/runtime/http/http-server';
import { metricsRoute } from '#platform/runtime/http/metrics-route';
import type { Route } from '#platform/runtime/http/route';
import { tokenReview } from '#platform/runtime/http/token-review';
import type { Metrics } from '#platform/runtime/metrics';
import type { UpSettings } from '#programs/cli/up';
import type { Embedded } from './embedded.ts';
import { explanationsRoute } from './explanations.ts';

export interface ListenersDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** HTTP listeners beside the API server. */
export interface Listeners {
  readonly health: HttpServer;
  readonly metrics: HttpServer;
  /** Undefined if simulated VMs are not served. */
  readonly exporter: HttpServer | undefined;
  /** Token for changes. */
  readonly token: AccessToken;
  /** Serves what a started control plane provides, and reports ready. */
  serve(embedded: Embedded): void;
  close(): Promise<void>;
}

/** Binds every port before anything is changed, so that a start fails without effect if one is not available. */
export async function bindListeners(settings: UpSettings, dataDir: string, deps: ListenersDeps): Promise<Listeners> {
  const { bindAddress: host } = settings;
  const { clock, log } = deps;
  const progress: StartProgress = {};
  const access = accessOf(settings, progress, log);
  const bound: HttpServer[] = [];
  const bind = async (port: number, options: Pick<HttpServerOptions, 'routes' | 'refusal'>): Promise<HttpServer> => {
    const server = await startHttpServer({ ...access, host, port, clock, log, ...options });
    bound.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    progress.token?.remove();
    await Promise.all(bound.map((server) => server.close()));
  };
  try {
    const health = await bind(settings.healthPort, { routes: readinessRoutes(progress) });
    const metrics = await bind(settings.metricsPort, { routes: [metricsRoute(deps.metrics)] });
    const isExporting = settings.dialects.includes('simulation');
    const exporter = isExporting ? await bind(settings.exporterPort, { refusal: formatRejection }) : undefined;
    const token = newToken(tokenFileOf(host, (exporter ?? metrics).port), join(dataDir, 'http-token'));
    progress.token = token;
    return {
      health,
      metrics,
      exporter,
      token,
      serve(embedded) {
        progress.embedded = embedded;
        metrics.mount(explanationsRoute(embedded.explanations));
        if (embedded.exporter !== undefined)
          for (const route of exporterRoutes(embedded.exporter)) exporter?.mount(route);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** State of the start, which the listeners read. It is filled in as the start proceeds. */
interface StartProgress {
  token?: AccessToken;
  embedded?: Embedded;
}

function accessOf({ allowedHosts }: UpSettings, progress: Readonly<StartProgress>, log: Logger): AccessOptions {
  return {
    allowedHosts,
    authorize: createAuthorizer({
      token: () => progress.token,
      review: () => (progress.embedded === undefined ? undefined : tokenReview(progress.embedded.admin, log)),
    }),
  };
}

function readinessRoutes(progress: Readonly<StartProgress>): Route[] {
  return healthRoutes({
    ready: {
      started: () => (progress.embedded === undefined ? 'starting' : undefined),
      store: () => progress.embedded?.plane.storeProblem(),
    },
  });
}

/** Creates a token where clients of the same user look for it, or else in the data directory. */
function newToken(file: string, otherwise: string): AccessToken {
  try {
    return createAccessToken(file);
  } catch {
    return createAccessToken(otherwise);
  }
}
