import type { Pod, Toleration, Volume } from '#platform/kube/kinds/pod';
import { isResized } from '#platform/kube/resources/resized-amounts';
import type { Labels } from '#platform/kube/selectors/label-requirement';
import { keyOf } from '#platform/runtime/key';
import {
  type AffinityRules,
  type AffinityTerm,
  preferredTerms,
  requiredTerms,
  type WeightedTerm,
} from './affinity-term.ts';
import { type ClaimUse, claimUsesOf } from './claim-use.ts';
import { type HostPort, hostPortsOf } from './host-port.ts';
import {
  type NodePreference,
  nodePreferencesOf,
  type RequiredNodeAffinity,
  requiredNodeAffinityOf,
} from './node-affinity.ts';
import { type Requests, requestsOf } from './requests.ts';
import { type SpreadConstraint, type SpreadConstraintSpec, spreadConstraintOf } from './spread-constraint.ts';

/** A pod with everything that scheduling needs, parsed once. */
export interface PodInfo extends Requests {
  readonly pod: Pod;
  readonly uid: string;
  /** Key in the form `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels | undefined;
  readonly priority: number;
  readonly terminating: boolean;
  readonly tolerations: readonly Toleration[];
  readonly ports: readonly HostPort[];
  readonly requiredNodeAffinity: RequiredNodeAffinity | undefined;
  readonly nodePreferences: readonly NodePreference[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly WeightedTerm[];
  readonly preferredAntiAffinity: readonly WeightedTerm[];
  readonly spread: readonly SpreadConstraint[];
  /** Images of all containers, with their tags. */
  readonly images: readonly string[];
  readonly volumes: readonly Volume[];
  readonly claims: readonly ClaimUse[];
}

const NONE: readonly never[] = [];

export function podInfoOf(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const namespace = metadata.namespace ?? '';
  const rules = spec.affinity as AffinityRules | undefined;
  const name = metadata.name ?? '';
  const volumes = spec.volumes ?? NONE;
  const constraints = spec['topologySpreadConstraints'] as readonly SpreadConstraintSpec[] | undefined;
  return {
    ...requestsOf(pod),
    pod,
    uid: metadata.uid ?? '',
    key: keyOf(pod),
    namespace,
    name,
    labels: metadata.labels,
    priority: spec.priority ?? 0,
    terminating: metadata.deletionTimestamp !== undefined,
    tolerations: spec.tolerations ?? NONE,
    ports: hostPortsOf(spec),
    requiredNodeAffinity: requiredNodeAffinityOf(spec),
    nodePreferences: rules === undefined ? NONE : nodePreferencesOf(spec),
    affinity: rules === undefined ? NONE : requiredTerms(rules.podAffinity, namespace),
    antiAffinity: rules === undefined ? NONE : requiredTerms(rules.podAntiAffinity, namespace),
    preferredAffinity: rules === undefined ? NONE : preferredTerms(rules.podAffinity, namespace),
    preferredAntiAffinity: rules === undefined ? NONE : preferredTerms(rules.podAntiAffinity, namespace),
    spread: constraints === undefined ? NONE : constraints.map((each) => spreadConstraintOf(each, metadata.labels)),
    images: [...(spec.initContainers ?? []), ...spec.containers].map(({ image = '' }) => withTag(image)),
    volumes,
    claims: volumes.length === 0 ? NONE : claimUsesOf(volumes, namespace, name),
  };
}

/** Returns the info for a newer state of the pod if nothing that scheduling depends on changed, else undefined. */
export function withPod(info: PodInfo, pod: Pod): PodInfo | undefined {
  const { generation, labels, deletionTimestamp } = pod.metadata;
  const old = info.pod.metadata;
  const same =
    generation !== undefined &&
    generation === old.generation &&
    (deletionTimestamp === undefined) === (old.deletionTimestamp === undefined) &&
    !isResized(pod) &&
    !isResized(info.pod) &&
    sameLabels(labels, old.labels);
  return same ? { ...info, pod } : undefined;
}

export function sameLabels(a: Labels | undefined, b: Labels | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function withTag(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
