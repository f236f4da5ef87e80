import { timestamp } from '#platform/base/timestamp';
import { NODES, type Node, type Taint, tolerates } from '#platform/kube/kinds/node';
import { PODS, type Pod, type Toleration } from '#platform/kube/kinds/pod';
import { type Controller, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { awaitsListings, LISTINGS_RECHECK_MS } from '#platform/runtime/restored-nodes';
import { deleteWithDisruptionTarget } from './disruption-target.ts';
import { byNode } from './pods-by-node.ts';

const ENDING = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };

/** Returns the seconds for which a pod tolerates NoExecute taints, Infinity if it tolerates them forever. */
export function minTolerationTime(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  let min = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const used = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (used.length === 0) return 0;
    for (const { tolerationSeconds } of used) min = Math.min(min, Math.max(0, tolerationSeconds ?? min));
  }
  return min;
}

const noExecuteTaints = (node: Node | undefined) =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** Deletes pods on nodes with taints that they do not tolerate, or no longer. */
export function taintEviction(): Controller<Pod> {
  /** Time since which a pod has been on a node with such taints. */
  const since = new Map<string, { readonly uid: string | undefined; readonly at: number }>();
  return {
    name: 'taint eviction',
    for: PODS,
    watches: [
      watchSource(NODES, (node, { cache }, { object, old }) => {
        const same = JSON.stringify(noExecuteTaints(object)) === JSON.stringify(noExecuteTaints(old));
        return same ? [] : [...cache(PODS).by(byNode, node.metadata.name ?? '')].map(keyOf);
      }),
    ],
    async reconcile(pod, context) {
      const { cache, client, clock } = context;
      const { metadata, spec } = pod;
      const taints = noExecuteTaints(cache(NODES).get(spec.nodeName ?? ''));
      const key = keyOf(pod);
      const wait =
        taints.length === 0 ? Number.POSITIVE_INFINITY : minTolerationTime(spec.tolerations ?? [], taints) * 1000;
      if (wait === Number.POSITIVE_INFINITY || metadata.deletionTimestamp !== undefined) {
        since.delete(key);
        return undefined;
      }
      const known = since.get(key);
      const begun = known !== undefined && known.uid === metadata.uid ? known.at : clock.now();
      since.set(key, { uid: metadata.uid, at: begun });
      const left = begun + wait - clock.now();
      if (left > 0) return { requeueAfterMs: left };
      if (awaitsListings(context)) return { requeueAfterMs: LISTINGS_RECHECK_MS };
      await deleteWithDisruptionTarget(pod, ENDING, timestamp(clock.now()), client);
      return undefined;
    },
    forget: (key) => void since.delete(key),
  };
}
