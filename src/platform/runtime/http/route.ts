import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Handles some of the requests of a server. */
export interface Route {
  /**
   * Path of the route. `/metrics` matches this path alone, `/assets/` everything below it; the longest match counts.
   */
  readonly path: string;
  /** Methods of the route. Defaults to GET, which includes HEAD: its body is left out. */
  readonly methods?: readonly string[];
  /**
   * Clients that are served: everyone, those authorized to make changes, or as the route itself decides. Defaults to
   * everyone for GET and to authorized clients for other methods.
   */
  readonly access?: 'open' | 'authorized' | 'decided by route';
  /** Maximum size of the body in bytes. readBody defines the default. */
  readonly maxBodyBytes?: number;
  /** Lets the response last as long as its client stays. Other responses have a limited time. */
  readonly streams?: true;
  /**
   * Handles a request until the response is complete, or the signal is aborted because the client disconnects, the time
   * is up, or the server stops. A thrown error is logged, and the client gets an internal error without details.
   */
  handle(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): void | Promise<void>;
  /**
   * Takes over the connection of a client that requests another protocol (WebSocket). The server closes it when it
   * stops.
   */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Result of routing a request: a route, or the methods of its path, which may be none. */
export type RouteMatch = { readonly route: Route } | { readonly allow: readonly string[] };

/** Routes of a server. The last one that was added for a path and a method counts. */
export class Routes {
  readonly #byPath = new Map<string, Route[]>();
  #paths: readonly string[] = [];

  /** Adds a route and returns a function that removes it. */
  add(route: Route): () => void {
    if (!route.path.startsWith('/')) throw new RangeError(`a path must start with a slash: ${route.path}`);
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
