import type { Vmi } from '#api/kubevirt/resources';
import { VMIS } from '#api/kubevirt/resources';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { claimNames } from '#vm/engine/launcher/volumes';

/** Indexes instances by the node that they run on. */
const byNode: Index<Vmi> = {
  values: ({ status }) => ((status?.nodeName ?? '') === '' ? [] : [status?.nodeName ?? '']),
};

/** Indexes pods by the node that they are bound to. */
const podsByNode: Index<Pod> = {
  values: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};

/** Indexes instances by the keys of the claims that they need. */
export const byClaim: Index<Vmi> = {
  values: ({ metadata, spec }) => claimNames(spec).map((name) => keyIn(metadata.namespace, name)),
};

/** Returns the key of the instance that owns a pod, or undefined if none does. */
export function instanceKeyOfPod({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === VMIS.kind ? keyIn(metadata.namespace, owner.name) : undefined;
}

/** Returns the keys of the instances that run on a node or have a pod there. */
export function instancesOn(node: string, { cache }: Pick<Context, 'cache'>): Set<string> {
  const keys = new Set<string>();
  for (const vmi of cache(VMIS).by(byNode, node)) keys.add(keyOf(vmi));
  for (const pod of cache(PODS).by(podsByNode, node)) {
    const key = instanceKeyOfPod(pod);
    if (key !== undefined) keys.add(key);
  }
  return keys;
}
