import { methodNotAllowed, noSuchResource } from '../api-error.ts';
import type { ApiRequest } from './api-request.ts';
import type { Discovery } from './discovery.ts';
import { DISCOVERY_SHAPES, negotiate } from './negotiation.ts';
import { json, plain } from './response.ts';
import type { Route } from './router.ts';

/** Kubernetes version that this server emulates. */
const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3+vimana',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: 'linux/amd64',
};

export const versionRoute: Route = (request) => {
  if (request.path !== '/version' && request.path !== '/version/') return undefined;
  checkRead(request);
  return json(200, JSON.stringify(VERSION));
};

/** Rejects methods other than those that read a document. */
function checkRead({ method }: ApiRequest): void {
  if (method !== 'GET') throw methodNotAllowed();
}

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/**
 * Serves the health checks. `problem` returns why the server is not ready: it is starting, or its store rejects writes.
 */
export function healthRoute(problem: () => Promise<string | undefined>): Route {
  return async ({ path, query }) => {
    const [, root = '', check] = /^(\/[a-z]+)(?:\/(.*))?$/.exec(path) ?? [];
    if (!HEALTH.has(root)) return undefined;
    const why = root === '/readyz' ? await problem() : undefined;
    const well = why === undefined || check === 'ping';
    if (check !== undefined && check !== 'ping' && check !== 'etcd') return plain(404, '404 page not found\n');
    if (well && !query.has('verbose')) return plain(200, 'ok');
    const stored = why === undefined ? '[+]etcd ok' : `[-]etcd failed: ${why}`;
    const lines = check === undefined ? ['[+]ping ok', stored] : [check === 'etcd' ? stored : '[+]ping ok'];
    const verdict = `${root.slice(1)} check ${well ? 'passed' : 'failed'}`;
    return plain(well ? 200 : 500, `${[...lines, verdict].join('\n')}\n`);
  };
}

/** Serves /api, /apis and everything below, down to one version of a group. */
export function discoveryRoute(discovery: Discovery): Route {
  return (request) => {
    const [root, group, version, ...more] = request.path.split('/').filter((part) => part !== '');
    if (root === undefined) return json(200, JSON.stringify({ paths: discovery.paths() }));
    if ((root !== 'api' && root !== 'apis') || more.length > 0) return undefined;
    const aggregated = negotiate(request.header('accept'), DISCOVERY_SHAPES).as === 'discovery';
    // The discovery documents of extensions come from another handler, which accepts any method.
    const own = root === 'api' || (group !== undefined && discovery.isBuiltIn(group));
    if (group === undefined && own) checkRead(request);
    if (group === undefined && aggregated) {
      const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      return { ...json(200, JSON.stringify(discovery.aggregated(root === 'api'))), type };
    }
    const found =
      root === 'api'
        ? group === undefined
          ? discovery.core()
          : version === undefined
            ? discovery.version('', group)
            : undefined
        : group === undefined
          ? discovery.groupList()
          : version === undefined
            ? discovery.group(group)
            : discovery.version(group, version);
    if (found !== undefined) {
      if (own && (root === 'api' || version !== undefined)) checkRead(request);
      return json(200, JSON.stringify(found));
    }
    if (own) throw noSuchResource();
    return undefined;
  };
}
