import { POOL_LABEL } from '#api/novacron/pool-words';
import type { Pool } from '#api/novacron/resources';
import { type LabelSelector, labelSelectorOf, labelSelectorOfSet } from '#platform/kube/selectors/label-selector';

/** Returns the labels that every VM and revision of a pool has. */
export const poolLabels = ({ metadata }: Pool): Record<string, string> => ({ [POOL_LABEL]: metadata.name });

/** Returns what selects the VMs of a pool, and their pods. */
export function selectorOf(pool: Pool): LabelSelector {
  const { selector } = pool.spec;
  return selector === undefined ? labelSelectorOfSet(poolLabels(pool)) : labelSelectorOf(selector);
}
