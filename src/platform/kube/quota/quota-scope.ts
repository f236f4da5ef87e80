import type { Pod } from '../kinds/pod.ts';
import type { ResourceQuotaSpec, ScopeRequirement } from '../kinds/resource-quota.ts';
import type { PersistentVolumeClaim } from '../kinds/storage.ts';
import type { KubeObject } from '../kube-object.ts';
import { qosClass } from '../resources/qos-class.ts';
import type { CountedResource } from './counted-resource.ts';

/** Reports whether a quota applies to an object. All of its scopes must match. */
export function isInScope(spec: ResourceQuotaSpec, resource: CountedResource, object: KubeObject): boolean {
  return scopesOf(spec).every((scope) => matches(scope, resource, object));
}

/** Returns all scopes of a quota. Those in the plain list require that something exists. */
function scopesOf({ scopes = [], scopeSelector }: ResourceQuotaSpec): ScopeRequirement[] {
  const plain = scopes.map((scopeName): ScopeRequirement => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(scopeSelector?.matchExpressions ?? [])];
}

/** Reports whether a quota can apply to objects of a resource. With scopes it counts only pods and claims. */
export function canApplyTo(spec: ResourceQuotaSpec, resource: CountedResource): boolean {
  return isPods(resource) || isClaims(resource) || scopesOf(spec).length === 0;
}

/** Returns what can change about an object that decides whether it is in scope. */
export function scopeFacts(resource: CountedResource, object: KubeObject): unknown {
  if (isPods(resource)) return isTerminating(object as Pod);
  return isClaims(resource) ? volumeAttributesClasses(object as PersistentVolumeClaim) : undefined;
}

function matches(scope: ScopeRequirement, resource: CountedResource, object: KubeObject): boolean {
  if (isPods(resource)) return podMatches(scope, object as Pod);
  if (!isClaims(resource) || scope.scopeName !== 'VolumeAttributesClass') return false;
  return hasMatchingName(scope, volumeAttributesClasses(object as PersistentVolumeClaim));
}

const isPods = ({ group, plural }: CountedResource) => group === '' && plural === 'pods';
const isClaims = ({ group, plural }: CountedResource) => group === '' && plural === 'persistentvolumeclaims';

function podMatches(scope: ScopeRequirement, pod: Pod): boolean {
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
      return hasMatchingName(scope, [pod.spec.priorityClassName ?? ''].filter(Boolean));
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

function hasMatchingName({ operator, values = [] }: ScopeRequirement, names: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return names.length > 0;
    case 'DoesNotExist':
      return names.length === 0;
    case 'In':
      return names.some((name) => values.includes(name));
    case 'NotIn':
      return names.length === 0 || names.some((name) => !values.includes(name));
    default:
      return false;
  }
}

/** Returns the classes that a claim has, wants, or is being changed to. It counts for all of them. */
function volumeAttributesClasses({ spec, status = {} }: PersistentVolumeClaim): string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];
}

/** Reports whether a pod ends by itself. */
const isTerminating = ({ spec }: Pod) => (spec.activeDeadlineSeconds ?? -1) >= 0;

function isBestEffort({ spec, status }: Pod): boolean {
  return (status?.['qosClass'] ?? qosClass(spec)) === 'BestEffort';
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
