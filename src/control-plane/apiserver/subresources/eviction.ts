import type { KubeObject } from '#platform/kube/kube-object';
import { type LabelSelectorSpec, labelSelectorOf } from '#platform/kube/selectors/label-selector';
import { ApiError, badRequest, notFound } from '../api-error.ts';
import { type Backend, storeOf, timestamp } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import { keyOf } from '../resource.ts';
import { type DeleteOptions, deleteObject } from '../verbs/delete.ts';
import { guaranteedUpdate } from '../verbs/guaranteed-update.ts';
import { type Target, viewOf } from '../verbs/target.ts';
import { DONE, type SubresourceAction } from './subresource-action.ts';

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

interface BudgetStatus {
  readonly disruptionsAllowed?: number;
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Maximum number of disrupted pods. More mean that nobody counts them. */
const MAX_DISRUPTED = 2000;

/** Handles pods/eviction: deletes a pod, unless its disruption budget forbids that. */
export const evict: SubresourceAction = async (backend, target, body, sent, admit) => {
  const { resource, namespace, name } = target;
  if (body.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object');
  await admit(body);
  const options = (body['deleteOptions'] ?? {}) as DeleteOptions;
  const call = { ...sent, dryRun: sent.dryRun || (options.dryRun ?? []).length > 0 };
  const entry = storeOf(backend, resource).latest(keyOf(resource, namespace, name));
  if (entry === undefined) throw notFound(resource, name);
  const pod = await viewOf(backend, resource, entry);
  if (needsBudget(pod)) await claim(backend, pod, namespace, call);
  if (pod.metadata.deletionTimestamp === undefined && !call.dryRun) await announce(backend, target, call);
  await deleteObject(backend, { ...target, subresource: '' }, options, call, { admitted: true });
  return DONE;
};

/**
 * Reports whether an eviction counts against a budget. A pod that is finished, never started, or already terminating
 * does not.
 */
function needsBudget(pod: KubeObject): boolean {
  const { phase } = (pod['status'] ?? {}) as PodStatus;
  return (
    phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending' && pod.metadata.deletionTimestamp === undefined
  );
}

async function claim(backend: Backend, pod: KubeObject, namespace: string, call: RequestContext): Promise<void> {
  const budgets = budgetsOf(backend, pod, namespace);
  const [budget] = budgets;
  if (budget === undefined) return;
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiError(500, 'InternalError', message);
  }
  const resource = budgetResource(backend);
  const target = { resource, namespace, name: budget.metadata.name ?? '', subresource: 'status' };
  await guaranteedUpdate(
    backend,
    target,
    (current) => ({ ...structuredClone(current), status: statusAfterEviction(current, pod, timestamp(backend.clock)) }),
    call,
  );
}

function budgetResource({ registry }: Backend) {
  const resource = registry.find('policy', 'v1', 'poddisruptionbudgets');
  if (resource === undefined) throw new Error('poddisruptionbudgets are not served');
  return resource;
}

function budgetsOf(backend: Backend, pod: KubeObject, namespace: string): KubeObject[] {
  const resource = budgetResource(backend);
  const { entries } = storeOf(backend, resource).range({ prefix: keyOf(resource, namespace, '') });
  return entries
    .map((entry) => backend.parsed.get(entry))
    .filter((budget) => {
      const { selector } = (budget['spec'] ?? {}) as { readonly selector?: LabelSelectorSpec };
      return labelSelectorOf(selector).matches(pod.metadata.labels);
    });
}

/** Returns the status of a budget after one more disruption. Throws if it allows none. */
function statusAfterEviction(budget: KubeObject, pod: KubeObject, now: string): BudgetStatus {
  const status = (budget['status'] ?? {}) as BudgetStatus;
  const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status;
  if (observedGeneration < (budget.metadata.generation ?? 0)) {
    throw evictionDenied(
      budget,
      `The disruption budget ${budget.metadata.name} is still being processed by the server.`,
      10,
    );
  }
  if (disruptionsAllowed < 0) throw evictionDenied(budget, 'pdb disruptions allowed is negative', 0);
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED)
    throw evictionDenied(budget, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller', 0);
  if (disruptionsAllowed === 0) {
    const { currentHealthy = 0, desiredHealthy = 0 } = status as { currentHealthy?: number; desiredHealthy?: number };
    throw evictionDenied(
      budget,
      `The disruption budget ${budget.metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      0,
    );
  }
  return {
    ...status,
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...disruptedPods, [pod.metadata.name ?? '']: now },
  };
}

function evictionDenied(_budget: KubeObject, why: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  });
}

/** Records on the pod why it is deleted. */
async function announce(backend: Backend, target: Target, call: RequestContext): Promise<void> {
  await guaranteedUpdate(
    backend,
    { ...target, subresource: 'status' },
    (pod) => {
      const status = (pod['status'] ?? {}) as PodStatus;
      const others = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        lastProbeTime: null,
        lastTransitionTime: timestamp(backend.clock),
      };
      return { ...structuredClone(pod), status: { ...structuredClone(status), conditions: [...others, condition] } };
    },
    call,
    { admitted: true },
  );
}
