import type { NewObject } from '#platform/kube/client';
import type { Pod, PodSpec } from '#platform/kube/kinds/pod';
import { type ControllerRevision, DAEMON_SETS, type DaemonSet } from '#platform/kube/kinds/workloads';
import type { NodeSelector, NodeSelectorTerm } from '#platform/kube/selectors/node-selector';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';
import { podFromTemplate } from '../replicas/pod-from-template.ts';
import { daemonTolerations } from './eligible-nodes.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const GENERATION_LABEL = 'pod-template-generation';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Builds the daemon pod of a node, which the scheduler can bind to that node only. */
export function daemonPod(set: DaemonSet, node: string, update: ControllerRevision): NewObject<Pod> {
  const { template } = set.spec;
  const { metadata } = podFromTemplate(template, set, controllerRef(DAEMON_SETS, set));
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  const labels = {
    ...metadata.labels,
    [REVISION_HASH]: hashOf(update),
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
  };
  return {
    metadata: { ...metadata, labels },
    spec: { ...template.spec, affinity: boundTo(node, template.spec), tolerations: daemonTolerations(template.spec) },
  };
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[REVISION_HASH] ?? '';

/** Returns the affinity of a pod with every term restricted to one node. */
function boundTo(node: string, spec: PodSpec): Record<string, unknown> {
  const affinity = spec.affinity ?? {};
  const nodeAffinity = (affinity['nodeAffinity'] ?? {}) as { readonly [REQUIRED]?: NodeSelector };
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const terms = nodeAffinity[REQUIRED]?.nodeSelectorTerms;
  const nodeSelectorTerms: NodeSelectorTerm[] = (terms ?? [{}]).map((term) => ({ ...term, matchFields }));
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [REQUIRED]: { nodeSelectorTerms } } };
}

/** Returns the node that a daemon pod is for, also before it is bound. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const nodeAffinity = (spec.affinity?.['nodeAffinity'] ?? {}) as { readonly [REQUIRED]?: NodeSelector };
  for (const { matchFields = [] } of nodeAffinity[REQUIRED]?.nodeSelectorTerms ?? []) {
    const named = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (named?.values?.length === 1) return named.values[0];
  }
  return undefined;
}
