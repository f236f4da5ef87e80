import type { Client } from '#platform/kube/client';

export interface Fence {
  /** Throws if writes are not allowed. */
  check(): void;
  /** Signal that cancels writes in progress. */
  readonly signal: AbortSignal;
}

/** Returns a client that checks the fence before every write. */
export function fencedClient(client: Client, guard: Fence): Client {
  const passed = <O extends { readonly signal?: AbortSignal }>(options: O | undefined): O => {
    guard.check();
    const signal = options?.signal === undefined ? guard.signal : AbortSignal.any([options.signal, guard.signal]);
    return { ...options, signal } as O;
  };
  return {
    get: (type, name, options) => client.get(type, name, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    raw: (path, options) => client.raw(path, options),
    create: async (type, object, options) => await client.create(type, object, passed(options)),
    update: async (type, object, options) => await client.update(type, object, passed(options)),
    patch: async (type, name, patch, options) => await client.patch(type, name, patch, passed(options)),
    apply: async (type, config, options) => await client.apply(type, config, passed(options)),
    delete: async (type, name, options) => await client.delete(type, name, passed(options)),
    deleteCollection: async (type, options) => await client.deleteCollection(type, passed(options)),
    act: async (type, name, subresource, body, options) =>
      await client.act(type, name, subresource, body, passed(options)),
    request: async (request, options) =>
      await client.request(request, request.method === 'GET' ? options : passed(options)),
  };
}
