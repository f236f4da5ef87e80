import type { Pod } from '../kinds/pod.ts';
import type { ResourceQuotaSpec, ScopeRequirement } from '../kinds/resource-quota.ts';
import { labelSelectorOf } from '../selectors/label-selector.ts';

/** Reports whether a quota applies to a pod. All of its scopes must match. */
export function isInScope({ scopes = [], scopeSelector }: ResourceQuotaSpec, pod: Pod): boolean {
  const plain = scopes.map((scopeName): ScopeRequirement => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(scopeSelector?.matchExpressions ?? [])].every((requirement) => fits(requirement, pod));
}

/** Reports whether a quota has scopes. Such a quota counts nothing but pods. */
export function isScoped({ scopes = [], scopeSelector }: ResourceQuotaSpec): boolean {
  return scopes.length + (scopeSelector?.matchExpressions ?? []).length > 0;
}

function fits({ scopeName, operator, values }: ScopeRequirement, pod: Pod): boolean {
  switch (scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const { priorityClassName = '' } = pod.spec;
      const labels: Record<string, string> = priorityClassName === '' ? {} : { PriorityClass: priorityClassName };
      const expression = { key: 'PriorityClass', operator, ...(values === undefined ? {} : { values }) };
      return labelSelectorOf({ matchExpressions: [expression] }).matches(labels);
    }
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

/** Reports whether a pod ends by itself. */
const isTerminating = ({ spec }: Pod) => spec.activeDeadlineSeconds !== undefined;

/** Reports whether a pod has neither requests nor limits for the resources that a node divides among pods. */
function isBestEffort({ spec }: Pod): boolean {
  const parts = [...spec.containers, ...(spec.initContainers ?? []), { resources: spec.resources }];
  return !parts.some(({ resources }) =>
    [resources?.requests, resources?.limits].some((list) =>
      ['cpu', 'memory'].some((name) => Number.parseFloat(String(list?.[name] ?? '0')) > 0),
    ),
  );
}

interface Term {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: object;
  readonly podAffinityTerm?: Term;
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const lists = ['podAffinity', 'podAntiAffinity'].flatMap((name) => {
    const affinity = (spec.affinity?.[name] ?? {}) as Readonly<Record<string, readonly Term[] | undefined>>;
    return [
      ...(affinity['requiredDuringSchedulingIgnoredDuringExecution'] ?? []),
      ...(affinity['preferredDuringSchedulingIgnoredDuringExecution'] ?? []),
    ];
  });
  return lists
    .map((term) => term.podAffinityTerm ?? term)
    .some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined);
}
