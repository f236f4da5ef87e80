import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { joinReasons } from '../join-reasons.ts';
import type { Container, Pod, Quantities } from '../kinds/pod/pod-spec.ts';
import { admissionDenial } from './denial.ts';
import { type Limit, limitProblems } from './limits.ts';
import { containersOf, isPods, newPod } from './pod-write.ts';
import type { StoredObjects } from './stored-objects.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Sets the default resources of a namespace's LimitRanges, and rejects objects outside of their bounds. */
export function limitRanger(ranges: StoredObjects): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    mutate(write) {
      if (ranges.size === 0) return undefined;
      const pod = newPod(write);
      if (pod === undefined) return undefined;
      for (const range of ranges.in(write.namespace).values()) applyDefaults(pod, limitsOf(range));
      return undefined;
    },
    validate(write) {
      if (ranges.size === 0 || !isLimited(write)) return;
      for (const range of ranges.in(write.namespace).values()) {
        const problems = limitProblems(limitsOf(range), write.object as KubeObject);
        if (problems.length > 0) throw admissionDenial(write, joinReasons(problems));
      }
    },
  };
}

function limitsOf(range: KubeObject): readonly Limit[] {
  return ((range['spec'] ?? {}) as { readonly limits?: readonly Limit[] }).limits ?? [];
}

/**
 * Reports whether limits apply to a write. Resources of a pod are fixed at creation except for a resize, those of a
 * claim may change.
 */
function isLimited(write: AdmissionAttributes): boolean {
  const { operation, resource, subresource } = write;
  if (isPods(write)) {
    return subresource === '' ? operation === 'CREATE' : subresource === 'resize' && operation === 'UPDATE';
  }
  return (
    resource.plural === 'persistentvolumeclaims' &&
    resource.group === '' &&
    subresource === '' &&
    (operation === 'CREATE' || (operation === 'UPDATE' && write.old?.metadata.deletionTimestamp === undefined))
  );
}

/** Sets the defaults of containers, and records them in an annotation of the pod. */
function applyDefaults(pod: Pod, limits: readonly Limit[]): void {
  const defaults: { requests: Quantities; limits: Quantities } = { requests: {}, limits: {} };
  for (const { type, default: max, defaultRequest } of limits) {
    if (type !== 'Container') continue;
    defaults.limits = { ...defaults.limits, ...max };
    defaults.requests = { ...defaults.requests, ...defaultRequest };
  }
  const said: string[] = [];
  for (const [what, container] of containersOf(pod)) {
    const limited = fillIn(container, 'limits', defaults.limits);
    const requested = fillIn(container, 'requests', defaults.requests);
    if (requested.length > 0) said.push(`${requested.join(', ')} request for ${what} ${container.name}`);
    if (limited.length > 0) said.push(`${limited.join(', ')} limit for ${what} ${container.name}`);
  }
  if (said.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${said.join('; ')}`,
  };
}

/** Sets missing quantities and returns the names of those resources. */
function fillIn(container: Container, which: 'requests' | 'limits', defaults: Quantities): string[] {
  const present = container.resources?.[which] ?? {};
  const missing = Object.keys(defaults).filter((name) => !Object.hasOwn(present, name));
  if (missing.length === 0) return [];
  container.resources ??= {};
  const added = Object.fromEntries(missing.map((name) => [name, defaults[name] ?? '0']));
  container.resources[which] = { ...present, ...added };
  return missing.sort();
}
