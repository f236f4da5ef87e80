import { MIGRATION_LABEL } from '#api/launcher';
import { conditionOf } from '#platform/kube/kinds/condition';
import { type Node, type Taint, tolerates } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import { type NodeSelector, nodeTestOf } from '#platform/kube/selectors/node-selector';
import type { Informer } from '#platform/runtime/informer';

const HOSTNAME = 'kubernetes.io/hostname';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

interface NodeAffinitySpec {
  readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector };
}

export const isReady = ({ status }: Node) => conditionOf(status?.conditions, 'Ready')?.status === 'True';

/** Reports whether a node is cordoned. Its taint counts until the control plane has removed it. */
export const isCordoned = ({ spec }: Node) =>
  spec?.unschedulable === true || (spec?.taints ?? []).some(({ key }) => key === UNSCHEDULABLE);

/** Returns the value of the label by which a scheduler identifies a node. */
export const hostnameOf = ({ metadata }: Node) => metadata.labels?.[HOSTNAME] ?? metadata.name ?? '';

/** Returns why a node cannot accept the VM of a pod, or undefined if it can. */
export function rejectionReason(node: Node, pod: Pod): string | undefined {
  const name = `node ${node.metadata.name}`;
  if (!isReady(node)) return `${name} is not ready`;
  if (isCordoned(node)) return `${name} is cordoned`;
  return mismatchOf(pod)(node);
}

/** Returns a function that finds what makes a node unsuitable for a pod: its taints, or its labels. */
function mismatchOf({ metadata, spec }: Pod): (node: Node) => string | undefined {
  const { tolerations = [], nodeSelector = {}, affinity = {} } = spec;
  const isTarget = metadata.labels?.[MIGRATION_LABEL] !== undefined;
  // A migration adds the name of its destination, which does not bind the next one.
  const labels = Object.entries(nodeSelector).filter(([key]) => !(isTarget && key === HOSTNAME));
  const { nodeAffinity } = affinity as NodeAffinitySpec;
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const byTerms = required === undefined ? () => true : nodeTestOf(required);
  const isKeptAway = (taint: Taint) =>
    taint.effect !== 'PreferNoSchedule' && !tolerations.some((each) => tolerates(each, taint));
  return (node) => {
    const name = `node ${node.metadata.name}`;
    const taint = node.spec?.taints?.find(isKeptAway);
    if (taint !== undefined) return `${name} has the taint ${formatTaint(taint)}, which the VM does not tolerate`;
    const missing = labels.find(([key, value]) => node.metadata.labels?.[key] !== value);
    if (missing !== undefined) return `${name} does not have the label ${missing.join('=')} that the VM requires`;
    return byTerms(node) ? undefined : `${name} does not match the node affinity of the VM`;
  };
}

const formatTaint = ({ key, value = '', effect }: Taint) => `${key}${value === '' ? '' : `=${value}`}:${effect}`;

/** Knows which nodes do not accept which VMs. VMs with the same rules share the result until a node changes. */
export class NodeAcceptance {
  readonly #nodes: Informer<Node>;
  readonly #excluded = new Map<string, readonly string[]>();

  constructor(nodes: Informer<Node>) {
    this.#nodes = nodes;
    nodes.onChange(() => this.#excluded.clear());
  }

  /** Returns the nodes whose taints or labels exclude the VM of a pod. Cordoned nodes are not among them. */
  excludedFor(pod: Pod): readonly string[] {
    const { tolerations, nodeSelector, affinity } = pod.spec;
    const isTarget = pod.metadata.labels?.[MIGRATION_LABEL] !== undefined;
    const { nodeAffinity } = (affinity ?? {}) as NodeAffinitySpec;
    const key = JSON.stringify([tolerations, nodeSelector, nodeAffinity, isTarget]);
    const known = this.#excluded.get(key);
    if (known !== undefined) return known;
    const mismatch = mismatchOf(pod);
    const found = [...this.#nodes.cache.all()]
      .filter((node) => isReady(node) && !isCordoned(node) && mismatch(node) !== undefined)
      .map(({ metadata }) => metadata.name ?? '')
      .sort();
    this.#excluded.set(key, found);
    return found;
  }
}
