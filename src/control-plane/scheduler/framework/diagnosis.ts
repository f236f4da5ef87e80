import type { FilterStatus } from './filter.ts';
import type { FilterName } from './plugin-name.ts';

/** Reasons why no node is feasible for a pod. */
export interface Diagnosis {
  /** Number of nodes. */
  readonly nodes: number;
  /** Rejected nodes, counted by reason. */
  readonly refusals: ReadonlyMap<FilterStatus, number>;
  /** Status of the nodes that were not checked. */
  readonly others?: FilterStatus;
  /** Status that applied to all nodes before any was checked. */
  readonly all?: FilterStatus;
}

/**
 * Formats the message of kube-scheduler for the condition and the Event of a pod: each reason with its number of nodes,
 * sorted as text.
 */
export function fitMessage({ nodes, refusals, others, all }: Diagnosis, afterwards = ''): string {
  const after = afterwards === '' ? '' : ` ${afterwards}`;
  const begin = `0/${nodes} nodes are available:`;
  if (all !== undefined) return `${begin} ${all.reasons.join(', ')}.${after}`;
  const counts = new Map<string, number>();
  const count = ({ reasons }: FilterStatus, many: number) => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + many);
  };
  let seen = 0;
  for (const [refusal, many] of refusals) {
    count(refusal, many);
    seen += many;
  }
  if (others !== undefined && seen < nodes) count(others, nodes - seen);
  const texts = [...counts].map(([reason, many]) => `${many} ${reason}`).sort();
  return texts.length === 0 ? `${begin}${after}` : `${begin} ${texts.join(', ')}.${after}`;
}

/** Returns the plugins that rejected the pod. Changes relevant to them may let it be tried again. */
export function unschedulablePlugins({ refusals, others, all }: Diagnosis): Set<FilterName> {
  const plugins = new Set<FilterName>();
  for (const { plugin } of refusals.keys()) plugins.add(plugin);
  if (others !== undefined) plugins.add(others.plugin);
  if (all !== undefined) plugins.add(all.plugin);
  return plugins;
}
