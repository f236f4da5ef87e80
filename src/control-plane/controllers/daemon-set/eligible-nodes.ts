import { type Node, type Taint, tolerates } from '#platform/kube/kinds/node';
import type { PodSpec, Toleration } from '#platform/kube/kinds/pod';
import { type NodeSelector, nodeTestOf } from '#platform/kube/selectors/node-selector';

/** Eligibility of a node for the pods of a DaemonSet. */
export interface NodeEligibility {
  /** Set if the node needs a pod. */
  readonly runs: boolean;
  /** Set if an existing pod may stay, although none would be created. */
  readonly keeps: boolean;
}

interface NodeAffinitySpec {
  readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector };
}

const tolerated = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
});

/** Tolerations of every daemon pod, since daemons run on nodes that are not ready for others. */
const DAEMON_TOLERATIONS = [
  tolerated('not-ready', 'NoExecute'),
  tolerated('unreachable', 'NoExecute'),
  tolerated('disk-pressure', 'NoSchedule'),
  tolerated('memory-pressure', 'NoSchedule'),
  tolerated('pid-pressure', 'NoSchedule'),
  tolerated('unschedulable', 'NoSchedule'),
];
const HOST_NETWORK_TOLERATION = tolerated('network-unavailable', 'NoSchedule');

/** Returns the tolerations of a daemon pod: its own, and those of every daemon that it does not have. */
export function daemonTolerations(spec: PodSpec): Toleration[] {
  const all = spec['hostNetwork'] === true ? [...DAEMON_TOLERATIONS, HOST_NETWORK_TOLERATION] : DAEMON_TOLERATIONS;
  const own = spec.tolerations ?? [];
  const isOwn = ({ key, effect }: Toleration) =>
    own.some((each) => each.key === key && each.effect === effect && each.operator === 'Exists');
  return [...own, ...all.filter((each) => !isOwn(each))];
}

/** Returns a function that decides about nodes for a pod template. */
export function nodeEligibility(spec: PodSpec): (node: Node) => NodeEligibility {
  const tolerations = daemonTolerations(spec);
  const isTolerated = (taint: Taint) => tolerations.some((each) => tolerates(each, taint));
  const { nodeAffinity } = (spec.affinity ?? {}) as NodeAffinitySpec;
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const byTerms = required === undefined ? () => true : nodeTestOf(required);
  const byLabels = Object.entries(spec.nodeSelector ?? {});
  return (node) => {
    const { labels = {}, name } = node.metadata;
    const fits =
      (spec.nodeName === undefined || spec.nodeName === '' || spec.nodeName === name) &&
      byLabels.every(([key, value]) => labels[key] === value) &&
      byTerms(node);
    const taints = (node.spec?.taints ?? []).filter((taint) => !isTolerated(taint));
    const keeps = fits && taints.every(({ effect }) => effect !== 'NoExecute');
    return { keeps, runs: keeps && taints.every(({ effect }) => effect !== 'NoSchedule') };
  };
}
