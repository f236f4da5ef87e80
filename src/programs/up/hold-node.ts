import type { KubeObject } from '#platform/kube/kube-object';
import { NODE_RESTORE_ANNOTATION, RESTORE_LISTING_ANNOTATION } from '#platform/kube/node-restore';

/** Label that node agents of Vimana set on their nodes. */
const RUNTIME_LABEL = 'vimana.io/runtime';

/**
 * Marks a restored node so that its node agent lists its machines first. Returns undefined for a node without such an
 * agent.
 */
export function holdNode(node: KubeObject, restore: string): KubeObject | undefined {
  const { metadata } = node;
  if (metadata.labels?.[RUNTIME_LABEL] === undefined) return undefined;
  const { [RESTORE_LISTING_ANNOTATION]: _earlier, ...others } = metadata.annotations ?? {};
  return { ...node, metadata: { ...metadata, annotations: { ...others, [NODE_RESTORE_ANNOTATION]: restore } } };
}
