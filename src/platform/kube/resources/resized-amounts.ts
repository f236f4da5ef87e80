import type { KubeCondition } from '../kinds/condition.ts';
import type { ResourceList, Resources } from '../kinds/pod.ts';
import { type Amounts, amountsOf, raiseTo } from './amounts.ts';

/** Resources of a container, or of a whole pod, as its node reports them. */
interface ReportedResources {
  readonly name?: string;
  readonly resources?: Resources;
  readonly allocatedResources?: ResourceList;
}

interface ReportedStatus extends ReportedResources {
  readonly conditions?: readonly KubeCondition[];
  readonly containerStatuses?: readonly ReportedResources[];
  readonly initContainerStatuses?: readonly ReportedResources[];
}

interface ResizedPod {
  readonly spec: { readonly resources?: Resources };
  readonly status?: object;
}

/** Returns the amounts that containers hold while they are resized, by container. Undefined if the node reports none. */
export function resizedAmounts(
  { status = {} }: ResizedPod,
  which: keyof Resources,
): ((container: { readonly name?: string; readonly resources?: Resources }) => Amounts | undefined) | undefined {
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = status as ReportedStatus;
  const reported = [...containerStatuses, ...initContainerStatuses].filter(({ resources }) => resources !== undefined);
  if (reported.length === 0) return undefined;
  const infeasible = isResizeInfeasible(conditions);
  return ({ name, resources }) => {
    const actual = reported.find((each) => each.name === name);
    return actual === undefined ? undefined : effectiveAmounts(resources?.[which], actual, which, infeasible);
  };
}

/** Returns the amounts at pod level that a pod holds while it is resized. Undefined if the node reports none. */
export function podStatusAmounts({ spec, status = {} }: ResizedPod, which: keyof Resources): Amounts | undefined {
  const reported = status as ReportedStatus;
  if (reported.resources === undefined) return undefined;
  return effectiveAmounts(spec.resources?.[which], reported, which, isResizeInfeasible(reported.conditions ?? []));
}

/** Reports whether the node reports the resources of the pod, which may differ from its spec. */
export function isResized({ status = {} }: { readonly status?: object }): boolean {
  const { containerStatuses = [], initContainerStatuses = [], resources } = status as ReportedStatus;
  const reports = (each: ReportedResources) => each.resources !== undefined;
  return resources !== undefined || containerStatuses.some(reports) || initContainerStatuses.some(reports);
}

/** Returns the larger of the desired and the actual amounts. A resize that its node can never make does not count. */
function effectiveAmounts(
  desired: ResourceList | undefined,
  { resources, allocatedResources }: ReportedResources,
  which: keyof Resources,
  infeasible: boolean,
): Amounts {
  const amounts = amountsOf(infeasible ? undefined : desired);
  raiseTo(amounts, amountsOf(resources?.[which]));
  if (which === 'requests') raiseTo(amounts, amountsOf(allocatedResources));
  return amounts;
}

function isResizeInfeasible(conditions: readonly KubeCondition[]): boolean {
  return conditions.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}
