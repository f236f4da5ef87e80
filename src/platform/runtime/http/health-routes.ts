import type { Route } from './route.ts';

/** Checks by name. A check returns its problem, or undefined if healthy; a thrown error is a problem too. */
export type Checks = Readonly<Record<string, () => string | undefined | Promise<string | undefined>>>;

export interface Health {
  /** Checks of whether the process should keep running. */
  readonly live?: Checks;
  /** Checks of whether the process can do its work. */
  readonly ready?: Checks;
}

/**
 * Serves `/healthz` and `/readyz` like Kubernetes: `ok`, or status 500 and a line for each check. `?verbose` prints all
 * lines, and `/readyz/NAME` runs one check alone.
 */
export function healthRoutes({ live = {}, ready = {} }: Health): Route[] {
  return [...routesOf('/healthz', live), ...routesOf('/readyz', ready)];
}

function routesOf(path: string, checks: Checks): Route[] {
  const handle: Route['handle'] = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const one = url.pathname.slice(path.length + 1);
    const named = Object.entries(checks).filter(([name]) => one === '' || encodeURIComponent(name) === one);
    if (one !== '' && named.length === 0) {
      response.writeHead(404, TEXT).end('no such check\n');
      return;
    }
    const results = await Promise.all(named.map(async ([name, check]) => ({ name, problem: await problemOf(check) })));
    const well = results.every(({ problem }) => problem === undefined);
    const lines = results.map(({ name, problem }) =>
      problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
    );
    const verdict = `${path.slice(1)} check ${well ? 'passed' : 'failed'}`;
    const verbose = !well || url.searchParams.has('verbose');
    response.writeHead(well ? 200 : 500, TEXT).end(verbose ? `${[...lines, verdict].join('\n')}\n` : 'ok');
  };
  return [
    { path, handle },
    { path: `${path}/`, handle },
  ];
}

const TEXT = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

async function problemOf(check: Checks[string]): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
