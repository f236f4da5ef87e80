import { Buffer } from 'node:buffer';
import type { Client, ResourceType } from '#platform/kube/client';
import { CONFIG_MAPS, type ConfigMap, SECRETS } from '#platform/kube/kinds/core';
import { isNotFound } from '#platform/kube/kube-error';

/** Names an object that holds files for a machine. */
export interface ObjectReference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly namespace: string;
  readonly name: string;
}

/** Contents of an object by key, and the version that they were read at. */
export interface ObjectContents {
  readonly entries: Readonly<Record<string, Buffer>>;
  readonly version: string;
}

/** Objects that a node reads for the machines of its pods. */
export interface NodeObjects {
  /** Returns the contents of an object, or undefined if it does not exist. */
  read(reference: ObjectReference): Promise<ObjectContents | undefined>;
  /** Resolves when the object has another version, which is undefined for one that does not exist. */
  waitForChange(reference: ObjectReference, version: string | undefined, signal: AbortSignal): Promise<void>;
}

/**
 * Reads objects with a client that acts as the node. The API server lets it read only what a pod on this node refers
 * to, whatever an instance says.
 */
export function nodeObjects(client: Client): NodeObjects {
  return {
    async read({ kind, namespace, name }) {
      try {
        const object = await client.get(TYPES[kind], name, { namespace });
        return { entries: entriesOf(kind, object), version: object.metadata.resourceVersion ?? '' };
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async waitForChange({ kind, namespace, name }, version, signal) {
      const fieldSelector = `metadata.name=${name}`;
      for await (const { type, object } of client.watch(TYPES[kind], { namespace, fieldSelector, signal })) {
        if (type !== 'BOOKMARK' && object.metadata.resourceVersion !== version) return;
      }
    },
  };
}

const TYPES: Readonly<Record<ObjectReference['kind'], ResourceType>> = { Secret: SECRETS, ConfigMap: CONFIG_MAPS };

function entriesOf(kind: ObjectReference['kind'], { data = {}, binaryData = {} }: ConfigMap): Record<string, Buffer> {
  const inBase64 = kind === 'Secret' ? data : binaryData;
  const asText = kind === 'Secret' ? {} : data;
  return Object.fromEntries([
    ...Object.entries(asText).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...Object.entries(inBase64).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const),
  ]);
}
