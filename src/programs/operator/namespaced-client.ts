import type { Client, ResourceType } from '#platform/kube/client';

/** Returns a client that is restricted to one namespace. Cluster-scoped objects are unaffected. */
export function namespacedClient(client: Client, namespace: string): Client {
  if (namespace === '') return client;
  const within = <O extends { readonly namespace?: string }>({ namespaced }: ResourceType, options?: O): O =>
    (namespaced ? { namespace, ...options } : { ...options }) as O;
  return {
    ...client,
    list: (type, options) => client.list(type, within(type, options)),
    watch: (type, options) => client.watch(type, within(type, options)),
  };
}
