import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL } from '#api/launcher';
import { seededRandom } from '#platform/base/random';
import type { NewObject } from '#platform/kube/client';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { apiVersionOf } from '#platform/kube/kinds/resource-type';

/**
 * Write that the PodDisruptionBudget of an instance needs. The budget blocks evictions of a pod whose VM migrates
 * instead.
 */
export type BudgetAction =
  | { readonly do: 'make'; readonly budget: NewObject<PodDisruptionBudget> }
  | { readonly do: 'resize'; readonly budget: PodDisruptionBudget; readonly minAvailable: number }
  | { readonly do: 'remove'; readonly budget: PodDisruptionBudget };

/**
 * Plans the budget of an instance. Only instances that migrate on eviction have one, as a second guard beside the
 * response to the eviction.
 */
export function planBudget(vmi: Vmi, budgets: readonly PodDisruptionBudget[]): readonly BudgetAction[] {
  const [first, ...surplus] = budgets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!isGuarded(vmi)) return budgets.map((budget) => ({ do: 'remove', budget }));
  const minAvailable = isPodMigrating(vmi) ? 2 : 1;
  const removed = surplus.map((budget): BudgetAction => ({ do: 'remove', budget }));
  if (first === undefined) return [{ do: 'make', budget: budgetFor(vmi, minAvailable) }];
  if (first.spec?.minAvailable === minAvailable) return removed;
  return [{ do: 'resize', budget: first, minAvailable }, ...removed];
}

function isGuarded(vmi: Vmi): boolean {
  const { evictionStrategy } = vmi.spec;
  if (vmi.status?.phase !== 'Running' || vmi.metadata.deletionTimestamp !== undefined) return false;
  if (evictionStrategy === 'LiveMigrate') return true;
  const migratable = vmi.status.conditions?.find(({ type }) => type === 'LiveMigratable');
  return evictionStrategy === 'LiveMigrateIfPossible' && migratable?.status === 'True';
}

/** Reports whether a migration is in progress, during which both pods are needed. */
function isPodMigrating({ status }: Vmi): boolean {
  const { targetPod, completed = false } = status?.migrationState ?? {};
  return targetPod !== undefined && !completed;
}

function budgetFor({ metadata }: Vmi, minAvailable: number): NewObject<PodDisruptionBudget> {
  const { name, namespace, uid } = metadata;
  return {
    metadata: {
      // The name derives from the uid of the instance, so that the budget cannot be created twice.
      name: `kubevirt-disruption-budget-${seededRandom(uid).suffix()}`,
      namespace,
      labels: { [CREATED_BY_LABEL]: uid },
      ownerReferences: [
        { apiVersion: apiVersionOf(VMIS), kind: VMIS.kind, name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: { minAvailable, selector: { matchLabels: { [CREATED_BY_LABEL]: uid } } },
  };
}
