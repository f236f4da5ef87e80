import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers some of the requests of a server. */
export interface Route {
  /** `/metrics` is this path alone, `/assets/` all that begins with it. Of several that fit, the longest counts. */
  readonly path: string;
  /** GET where absent. Who answers GET answers HEAD too: the body is left out for it. */
  readonly methods?: readonly string[];
  /**
   * Who is answered: anybody, those who may change something, or whom the route itself lets in. Defaults to anybody for
   * GET and to those who may change something for other methods.
   */
  readonly access?: 'open' | 'authorized' | 'decided by route';
  /** In bytes; see readBody for what holds where absent. */
  readonly maxBodyBytes?: number;
  /** Goes on for as long as its client likes; otherwise an answer has a limited time. */
  readonly streams?: true;
  /**
   * Settles when the answer is complete. The signal is aborted when nobody waits for it any more: the client is gone,
   * the time is up, or the server stops. What it throws is logged, and the client told of a fault without details.
   */
  handle(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): void | Promise<void>;
  /** Takes over the connection of a client that asks for another protocol (WebSocket). The server ends it when it stops. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What becomes of a request: a route, or the methods that its path has, which may be none. */
export type RouteMatch = { readonly route: Route } | { readonly allow: readonly string[] };

/** The routes of a server; the last that was added for a path and a method counts. */
export class Routes {
  readonly #byPath = new Map<string, Route[]>();
  #paths: readonly string[] = [];

  /** Returns how to take it out again. */
  add(route: Route): () => void {
    if (!route.path.startsWith('/')) throw new RangeError(`a path begins with a slash, not ${route.path}`);
    const same = this.#byPath.get(route.path) ?? [];
    this.#byPath.set(route.path, [route, ...same]);
    this.#sort();
    return () => {
      const left = (this.#byPath.get(route.path) ?? []).filter((each) => each !== route);
      if (left.length > 0) this.#byPath.set(route.path, left);
      else this.#byPath.delete(route.path);
      this.#sort();
    };
  }

  find(method: string, path: string): RouteMatch {
    const place = this.#paths.find((each) => each === path || (each.endsWith('/') && path.startsWith(each)));
    const routes = place === undefined ? [] : (this.#byPath.get(place) ?? []);
    const route = routes.find((each) => methodsOf(each).includes(method));
    return route === undefined ? { allow: [...new Set(routes.flatMap(methodsOf))] } : { route };
  }

  #sort(): void {
    this.#paths = [...this.#byPath.keys()].sort((a, b) => b.length - a.length);
  }
}

function methodsOf({ methods = ['GET'] }: Route): readonly string[] {
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}
