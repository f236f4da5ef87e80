import type { Pod } from '#platform/kube/kinds/pod';
import type { NodeHooks } from './managed-node.ts';

/** Returns hooks that choose between simulated and real ones by the node of a pod. */
export function hooksByNode(simulated: NodeHooks, real: NodeHooks, isReal: (node: string) => boolean): NodeHooks {
  const of = ({ spec }: Pod) => (isReal(spec.nodeName ?? '') ? real : simulated);
  return {
    startBlock: (pod, instance, seenAt, now) => of(pod).startBlock(pod, instance, seenAt, now),
    probeAnswers: (pod, instance) => of(pod).probeAnswers(pod, instance),
    attend: async (pod, instance, machine, driver) => await of(pod).attend?.(pod, instance, machine, driver),
  };
}
