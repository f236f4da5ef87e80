import type { Client, ResourceType, WriteOptions } from '#platform/kube/client';

/** Accesses stored objects only. */
export type StoreClient = Omit<Client, 'raw' | 'request'>;

/**
 * Creates a client that uses one of two others, depending on whether objects of a resource are stored or served by
 * code.
 */
export function routedClient(stored: StoreClient, served: Client, isStored: (type: ResourceType) => boolean): Client {
  const at = (type: ResourceType, { subresource }: WriteOptions = {}) =>
    // A scale is not part of the stored object either.
    isStored(type) && subresource !== 'scale' ? stored : served;
  return {
    get: (type, name, options) => at(type).get(type, name, options),
    list: (type, options) => at(type).list(type, options),
    watch: (type, options) => at(type).watch(type, options),
    create: (type, object, options) => at(type).create(type, object, options),
    update: (type, object, options) => at(type, options).update(type, object, options),
    patch: (type, name, patch, options) => at(type, options).patch(type, name, patch, options),
    apply: (type, config, options) => at(type, options).apply(type, config, options),
    delete: (type, name, options) => at(type).delete(type, name, options),
    deleteCollection: (type, options) => at(type).deleteCollection(type, options),
    act: (type, name, subresource, body, options) => at(type).act(type, name, subresource, body, options),
    raw: (path, options) => served.raw(path, options),
    request: (request, options) => served.request(request, options),
  };
}
