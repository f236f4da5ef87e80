import { TemporaryError } from '#platform/base/errors';
import { PODS } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '#platform/kube/kinds/workloads';
import { type LabelSelector, labelSelectorOf } from '#platform/kube/selectors/label-selector';
import { type Controller, watchSource } from '#platform/runtime/controller';
import type { DiscoveryCache } from '#platform/runtime/discovery-cache';
import { keyOf } from '#platform/runtime/key';
import { writeStatus } from '#platform/runtime/status';
import { budgetStatus, demandOf, failedStatus, needsScale } from './plan.ts';
import { expectedReplicas } from './scale.ts';

/** Computes how many pods of each disruption budget may be evicted. */
export function disruptionController(catalog: DiscoveryCache): Controller<PodDisruptionBudget> {
  const selectors = new WeakMap<PodDisruptionBudget, LabelSelector>();
  const selectorOf = (budget: PodDisruptionBudget): LabelSelector => {
    let selector = selectors.get(budget);
    if (selector === undefined) {
      selector = labelSelectorOf(budget.spec?.selector);
      selectors.set(budget, selector);
    }
    return selector;
  };
  return {
    name: 'disruption',
    for: POD_DISRUPTION_BUDGETS,
    watches: [
      watchSource(PODS, ({ metadata }, { cache }) =>
        [...cache(POD_DISRUPTION_BUDGETS).inNamespace(metadata.namespace ?? '')]
          .filter((budget) => selectorOf(budget).matches(metadata.labels))
          .map(keyOf),
      ),
    ],
    reads: [REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS, DEPLOYMENTS],
    async reconcile(budget, context) {
      const { cache, client, clock } = context;
      const { spec = {}, metadata } = budget;
      const selector = selectorOf(budget);
      const pods = [...cache(PODS).inNamespace(metadata.namespace ?? '')].filter((pod) =>
        selector.matches(pod.metadata.labels),
      );
      try {
        const scale = needsScale(spec) ? await expectedReplicas(pods, catalog, context) : 0;
        const { status, againMs } = budgetStatus(budget, pods, demandOf(spec, pods.length, scale), clock.now());
        await writeStatus(client, POD_DISRUPTION_BUDGETS, budget, status);
        return againMs === undefined ? undefined : { requeueAfterMs: againMs };
      } catch (error) {
        if (!(error instanceof TemporaryError)) throw error;
        await writeStatus(client, POD_DISRUPTION_BUDGETS, budget, failedStatus(budget, error.message, clock.now()));
        throw error;
      }
    },
  };
}
