import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import type { Context } from '#platform/runtime/controller';
import type { BudgetAction } from './budget.ts';

/** Creates, changes or deletes the PodDisruptionBudget of an instance. */
export async function executeBudgetAction(action: BudgetAction, { client }: Pick<Context, 'client'>): Promise<void> {
  try {
    if (action.do === 'make') {
      await client.create(POD_DISRUPTION_BUDGETS, action.budget);
      return;
    }
    const { name = '', namespace = '', uid = '' } = action.budget.metadata;
    if (action.do === 'remove') {
      await client.delete(POD_DISRUPTION_BUDGETS, name, { namespace, preconditions: { uid } });
    } else {
      const body = { metadata: { uid }, spec: { minAvailable: action.minAvailable } };
      await client.patch(POD_DISRUPTION_BUDGETS, name, { type: 'merge', body }, { namespace });
    }
  } catch (error) {
    // The write was done before, and the cache does not show it yet.
    if (!isAlreadyExists(error) && !isNotFound(error) && !isConflict(error)) throw error;
  }
}
