import type { FilterStatus } from './filter.ts';
import type { FilterName } from './plugin-name.ts';

/** Why no node suits a pod. */
export interface Diagnosis {
  /** How many nodes there are. */
  readonly nodes: number;
  /** Why single nodes do not suit, and how many each. */
  readonly refusals: ReadonlyMap<FilterStatus, number>;
  /** Said for nodes that were not looked at. */
  readonly others?: FilterStatus;
  /** Said for all nodes before one was looked at. */
  readonly all?: FilterStatus;
}

/** What kube-scheduler says in the condition and the Event of a pod: each reason and for how many nodes, sorted as text. */
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

/** The plugins that refused the pod: what changes for them may let it be tried again. */
export function unschedulablePlugins({ refusals, others, all }: Diagnosis): Set<FilterName> {
  const plugins = new Set<FilterName>();
  for (const { plugin } of refusals.keys()) plugins.add(plugin);
  if (others !== undefined) plugins.add(others.plugin);
  if (all !== undefined) plugins.add(all.plugin);
  return plugins;
}
