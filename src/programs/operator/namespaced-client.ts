import type { Client, ResourceType } from '#platform/kube/client';

/** A client that sees one namespace where it would see all; what lives in no namespace is seen as ever. */
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
