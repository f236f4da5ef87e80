import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionPlugin } from '../admission-plugin.ts';

interface Node extends KubeObject {
  spec?: { taints?: { key?: string; value?: string; effect?: string }[] };
}

const NOT_READY = 'node.kubernetes.io/not-ready';

/** Taints new nodes as not ready until their kubelet reports otherwise. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ operation, resource, subresource, object }) {
    if (operation !== 'CREATE' || resource.plural !== 'nodes' || resource.group !== '' || subresource !== '') {
      return undefined;
    }
    const node = object as Node;
    node.spec ??= {};
    node.spec.taints ??= [];
    const { taints } = node.spec;
    const tainted = taints.some(({ key, effect }) => key === NOT_READY && effect === 'NoSchedule');
    if (!tainted) taints.push({ key: NOT_READY, effect: 'NoSchedule' });
    return undefined;
  },
};
