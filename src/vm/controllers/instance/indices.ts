import type { Vmi } from '#api/kubevirt/resources';
import { VMIS } from '#api/kubevirt/resources';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn, keyOf } from '#platform/runtime/key';
import { claimNames } from '#vm/engine/launcher/volumes';

/** Instances by the node that they run on. */
const byNode: Index<Vmi> = {
  values: ({ status }) => ((status?.nodeName ?? '') === '' ? [] : [status?.nodeName ?? '']),
};

/** Pods by the node that they are bound to. */
const podsByNode: Index<Pod> = {
  values: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};

/** Instances by the keys of the claims that they need. */
export const byClaim: Index<Vmi> = {
  values: ({ metadata, spec }) => claimNames(spec).map((name) => keyIn(metadata.namespace, name)),
};

/** The key of the instance that a pod belongs to; undefined where it belongs to none. */
export function instanceKeyOfPod({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === VMIS.kind ? keyIn(metadata.namespace, owner.name) : undefined;
}

/** The keys of instances that run on a node, or have a pod there. */
export function instancesOn(node: string, { cache }: Pick<Context, 'cache'>): Set<string> {
  const keys = new Set<string>();
  for (const vmi of cache(VMIS).by(byNode, node)) keys.add(keyOf(vmi));
  for (const pod of cache(PODS).by(podsByNode, node)) {
    const key = instanceKeyOfPod(pod);
    if (key !== undefined) keys.add(key);
  }
  return keys;
}
