import type { Vmi } from '../../kube/kinds/machines.ts';
import { VMIS } from '../../kube/kinds/machines.ts';
import { PODS, type Pod } from '../../kube/kinds/pod.ts';
import { claimNames } from '../../machine/launcher/volumes.ts';
import type { Index } from '../../runtime/cache.ts';
import type { Context } from '../../runtime/controller.ts';
import { keyIn, keyOf } from '../../runtime/key.ts';

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
export function instanceKey({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === VMIS.kind ? keyIn(metadata.namespace, owner.name) : undefined;
}

/** The keys of instances that run on a node, or have a pod there. */
export function instancesOn(node: string, { cache }: Pick<Context, 'cache'>): Set<string> {
  const keys = new Set<string>();
  for (const vmi of cache(VMIS).by(byNode, node)) keys.add(keyOf(vmi));
  for (const pod of cache(PODS).by(podsByNode, node)) {
    const key = instanceKey(pod);
    if (key !== undefined) keys.add(key);
  }
  return keys;
}
