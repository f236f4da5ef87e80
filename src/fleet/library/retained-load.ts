import { CPU_CONSUMPTION, MEMORY_CONSUMPTION } from '#api/launcher';
import { parseLoad } from '#api/launcher-load';
import type { Client } from '#platform/kube/client';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { isNotFound } from '#platform/kube/kube-error';

type Annotations = Readonly<Record<string, string>>;

const PARTS = [
  ['cpu', CPU_CONSUMPTION],
  ['memory', MEMORY_CONSUMPTION],
] as const;

/** Reports whether somebody annotated a pod with another load than its VM specifies. */
export function isAnnotated(annotations: Annotations = {}): boolean {
  const reported = parseLoad(annotations);
  return reported !== undefined && PARTS.some(([part, annotation]) => annotations[annotation] !== reported[part]);
}

/**
 * Returns the annotated load of the old pod that the next one lacks. A load that the VM itself specified since takes
 * precedence, as on a pod that stays.
 */
export function retainedLoad(old: Annotations = {}, next: Annotations = {}): Record<string, string> {
  const [reported, now] = [parseLoad(old), parseLoad(next)];
  const kept: Record<string, string> = {};
  for (const [part, annotation] of PARTS) {
    const set = old[annotation];
    const isByHand = set !== undefined && reported !== undefined && set !== reported[part];
    const isSame = reported?.[part] === now?.[part] && reported?.node[part] === now?.node[part];
    if (isByHand && isSame && next[annotation] !== set) kept[annotation] = set;
  }
  return kept;
}

/** Copies the annotated load of a pod to the next pod of its VM, with other annotations that it gets. */
export async function carryLoad(client: Client, old: Pod, next: Pod, others: Annotations = {}): Promise<void> {
  const annotations = { ...retainedLoad(old.metadata.annotations, next.metadata.annotations), ...others };
  if (Object.keys(annotations).length === 0) return;
  const { name = '', namespace = '' } = next.metadata;
  const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
  await client.patch(PODS, name, patch, { namespace }).catch((error: unknown) => {
    // The pod is already gone.
    if (!isNotFound(error)) throw error;
  });
}
