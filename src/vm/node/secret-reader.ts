import type { NodeObjects } from './node-objects.ts';

/**
 * Reads Secrets that a machine of this node may use: only those that its launcher pod refers to, as a volume or as an
 * image pull secret. Others are rejected as forbidden by the API server. Contents must never be recorded or logged.
 */
export interface SecretReader {
  /** Returns the values of a Secret by key, or undefined if it does not exist. */
  read(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
}

/** Returns the Secrets among the objects of a node. */
export function secretReader(objects: Pick<NodeObjects, 'read'>): SecretReader {
  return {
    read: async (namespace, name) => (await objects.read({ kind: 'Secret', namespace, name }))?.entries,
  };
}
