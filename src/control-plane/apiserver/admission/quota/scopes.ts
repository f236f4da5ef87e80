import type { KubeObject } from '#platform/kube/kube-object';
import type { Pod, PodAffinity } from '../../kinds/pod/pod-spec.ts';

export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface QuotaScopes {
  readonly scopes?: readonly string[];
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] };
}

/** Reports whether an object is in the scope of a quota. */
export function inScope({ scopes = [], scopeSelector }: QuotaScopes, object: KubeObject): boolean {
  const named = scopes.map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...(scopeSelector?.matchExpressions ?? [])].every((scope) => matches(scope, object));
}

function matches(scope: ScopeRequirement, object: KubeObject): boolean {
  const pod = object.kind === 'Pod' ? (object as Pod) : undefined;
  if (pod === undefined) {
    return scope.scopeName === 'VolumeAttributesClass' && object.kind === 'PersistentVolumeClaim'
      ? holds(scope, volumeAttributesClass(object))
      : false;
  }
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return holds(scope, pod.spec.priorityClassName);
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

function holds({ operator, values = [] }: ScopeRequirement, name = ''): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return values.includes(name);
    default:
      return !values.includes(name);
  }
}

function volumeAttributesClass(claim: KubeObject): string | undefined {
  return ((claim['spec'] ?? {}) as { readonly volumeAttributesClassName?: string }).volumeAttributesClassName;
}

function isTerminating({ spec }: Pod): boolean {
  return (spec.activeDeadlineSeconds ?? -1) >= 0;
}

function isBestEffort({ spec }: Pod): boolean {
  const all = [spec, ...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return all.every(({ resources }) => ![resources?.requests, resources?.limits].some(hasAmount));
}

function hasAmount(amounts: Readonly<Record<string, string>> = {}): boolean {
  return ['cpu', 'memory'].some((name) => (amounts[name] ?? '0') !== '0');
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some((affinity: PodAffinity = {}) => {
    const terms = [
      ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => each.podAffinityTerm ?? {}),
    ];
    return terms.some(({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector);
  });
}
