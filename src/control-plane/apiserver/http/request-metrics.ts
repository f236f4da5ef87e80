import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FlowStatus } from '../flow-control/flow-control.ts';
import type { Registry as ResourceRegistry } from '../registry.ts';
import { parsePath, type ResourcePath } from '../request-path.ts';
import { plain } from './response.ts';
import type { Route } from './router.ts';
import type { FinishedRequest } from './server.ts';

/** Counts and times requests under the names that Kubernetes' dashboards use. */
export class RequestMetrics {
  readonly registry = new Registry();
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #served: Pick<ResourceRegistry, 'find' | 'extension'>;

  constructor(state: {
    readonly revision: () => number;
    readonly flow: () => FlowStatus;
    /** Served resources. Other names in requests do not become labels. */
    readonly registry: Pick<ResourceRegistry, 'find' | 'extension'>;
  }) {
    this.#served = state.registry;
    const registers = [this.registry];
    const labels = { verb: 'verb', group: 'group', resource: 'resource', subresource: 'subresource' } as const;
    const labelNames = Object.values(labels);
    this.#total = new Counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, resource and response code.',
      labelNames: [...labelNames, 'code'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from the request to the end of its response, excluding watches.',
      labelNames,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#show(
      'apiserver_current_inflight_requests',
      'Requests in progress, excluding watches.',
      () => state.flow().executing,
    );
    this.#show(
      'apiserver_flowcontrol_current_inqueue_requests',
      'Requests waiting until their user has fewer in progress.',
      () => state.flow().waiting,
    );
    this.#countRejections(state.flow);
    this.#show('vimana_store_revision', 'The newest revision of the object store.', state.revision);
  }

  /** Registers a gauge that is read on each scrape. */
  #show(name: string, help: string, read: () => number): Gauge {
    return new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Counts rejections by reason, as in Kubernetes. */
  #countRejections(flow: () => FlowStatus): Counter {
    const name = 'apiserver_flowcontrol_rejected_requests_total';
    const help = 'Requests rejected with 429, by reason.';
    return new Counter({
      name,
      help,
      labelNames: ['reason'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(flow().rejected)) this.inc({ reason }, count);
      },
    });
  }

  record({ method, path, status, seconds, streamed }: FinishedRequest): void {
    const labels = labelsOf(this.#served, method, path, streamed);
    this.#total.inc({ ...labels, code: status });
    if (!streamed) this.#duration.observe(labels, seconds);
  }

  /** Serves GET /metrics. */
  route: Route = async ({ path }) => {
    if (path !== '/metrics') return undefined;
    return { ...plain(200, await this.registry.metrics()), type: this.registry.contentType };
  };
}

const VERBS: Readonly<Record<string, string>> = { POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' };

/**
 * Returns the labels of a request. Only what is served becomes a label: paths come from users and are unbounded, so
 * they would fill the memory and reveal names in one user's paths to readers of the metrics.
 */
function labelsOf(
  served: Pick<ResourceRegistry, 'find' | 'extension'>,
  method: string,
  target: string,
  streamed: boolean,
) {
  const none = { verb: VERBS[method] ?? 'GET', group: '', resource: '', subresource: '' };
  try {
    const path = parsePath(target.split('?')[0] ?? '');
    if (path.kind === 'other' || !isServed(served, path)) return none;
    const { group, plural: resource, subresource, name } = path;
    const read = streamed && subresource === '' ? 'WATCH' : name === '' ? 'LIST' : 'GET';
    return { verb: VERBS[method] ?? read, group, resource, subresource };
  } catch {
    return none;
  }
}

function isServed(served: Pick<ResourceRegistry, 'find' | 'extension'>, path: ResourcePath): boolean {
  const { group, version, plural, subresource } = path;
  const named = subresource === '' ? plural : `${plural}/${subresource}`;
  const extension = served.extension(group, version);
  if (extension !== undefined) return extension.resources.some(({ name }) => name === named);
  const resource = served.find(group, version, plural);
  return resource !== undefined && (subresource === '' || resource.subresources.has(subresource));
}
