import { VMIS } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';

/** PodDisruptionBudget of a VM, and the number of its VMs that may move now. */
export interface VmBudget {
  /** `namespace/name`. */
  readonly name: string;
  readonly allowed: number;
}

/**
 * Returns the budgets that cover a pod. The budget that KubeVirt creates for each instance is left out: it blocks
 * evictions so that the VM migrates instead.
 */
export function budgetsOf(pod: Pod, budgets: Iterable<PodDisruptionBudget>): readonly VmBudget[] {
  const found: VmBudget[] = [];
  for (const { metadata, spec, status } of budgets) {
    if (metadata.namespace !== pod.metadata.namespace) continue;
    if (metadata.ownerReferences?.some(({ kind }) => kind === VMIS.kind) === true) continue;
    if (!labelSelectorOf(spec?.selector).matches(pod.metadata.labels)) continue;
    const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
    found.push({
      name: `${metadata.namespace}/${metadata.name}`,
      allowed: isCurrent ? Math.max(0, status?.disruptionsAllowed ?? 0) : 0,
    });
  }
  return found;
}

/** Counts the moves of one request against the budgets. */
export class BudgetClaims {
  readonly #claimed = new Map<string, number>();

  /** Claims a move. Returns why it is not allowed, or undefined if it is. */
  claim(budgets: readonly VmBudget[]): string | undefined {
    const full = budgets.find(({ name, allowed }) => (this.#claimed.get(name) ?? 0) >= allowed);
    if (full !== undefined) {
      const more = this.#claimed.has(full.name) ? 'no more disruptions' : 'no disruption';
      return `PodDisruptionBudget ${full.name} allows ${more} now`;
    }
    for (const { name } of budgets) this.#claimed.set(name, (this.#claimed.get(name) ?? 0) + 1);
    return undefined;
  }
}
