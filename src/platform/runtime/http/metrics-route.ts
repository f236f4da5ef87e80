import type { Metrics } from '../metrics.ts';
import type { Route } from './route.ts';

/** Serves the metrics for Prometheus. */
export function metricsRoute(metrics: Metrics): Route {
  return {
    path: '/metrics',
    async handle(_request, response) {
      const text = Buffer.from(await metrics.text());
      response
        .writeHead(200, {
          'content-type': metrics.contentType,
          'content-length': text.length,
          'cache-control': 'no-store',
        })
        .end(text);
    },
  };
}
