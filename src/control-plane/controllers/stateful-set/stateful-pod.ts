import type { NewObject } from '#platform/kube/client';
import type { Pod, Volume } from '#platform/kube/kinds/pod';
import type { PersistentVolumeClaim } from '#platform/kube/kinds/storage';
import {
  type ClaimTemplate,
  type ControllerRevision,
  type PodTemplate,
  STATEFUL_SETS,
  type StatefulSet,
} from '#platform/kube/kinds/workloads';
import { controllerRef } from '#platform/runtime/ownership/claim-objects';
import { REVISION_HASH } from '#platform/runtime/revisions/revision-history';
import { podFromTemplate } from '../replicas/pod-from-template.ts';
import { podName } from './ordinal.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';

/** Returns the template that a revision stores. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _patch, ...template } = (data as { spec: { template: PodTemplate & { $patch?: string } } }).spec
    .template;
  return template;
}

/** Builds the pod of an ordinal. Its name, host name and claims stay the same whenever it is created again. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): NewObject<Pod> {
  const template = templateOf(revision);
  const { metadata } = podFromTemplate(template, set, controllerRef(STATEFUL_SETS, set));
  const { generateName: _none, ...rest } = metadata;
  const name = podName(set, ordinal);
  return {
    metadata: {
      ...rest,
      name,
      labels: { ...rest.labels, ...identityLabels(name, ordinal), [REVISION_HASH]: revision.metadata.name ?? '' },
    },
    spec: {
      ...template.spec,
      hostname: name,
      ...(set.spec.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
      ...volumesOf(set, name, template.spec.volumes),
    },
  };
}

const identityLabels = (name: string, ordinal: number) => ({ [POD_NAME]: name, [POD_INDEX]: String(ordinal) });

/** Returns the pod with the labels of its identity, undefined if it has them. */
export function identifiedPod(pod: Pod, ordinal: number): Pod | undefined {
  const labels = identityLabels(pod.metadata.name ?? '', ordinal);
  const isIdentified = Object.entries(labels).every(([name, value]) => pod.metadata.labels?.[name] === value);
  if (isIdentified) return undefined;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } };
}

/** Returns the volumes of a pod. A claim template takes the place of a volume with its name. */
function volumesOf({ spec }: StatefulSet, name: string, volumes: readonly Volume[] = []): { volumes?: Volume[] } {
  const claims = (spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(template, name), readOnly: false },
  }));
  const taken = new Set(claims.map((claim) => claim.name));
  const all = [...claims, ...volumes.filter((volume) => !taken.has(volume.name))];
  return all.length === 0 ? {} : { volumes: all };
}

const claimName = ({ metadata }: ClaimTemplate, pod: string): string => `${metadata?.name}-${pod}`;

/** Builds the claims of a pod. */
export function setClaims({ metadata, spec }: StatefulSet, pod: string): NewObject<PersistentVolumeClaim>[] {
  return (spec.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      name: claimName(template, pod),
      namespace: metadata.namespace ?? '',
      labels: { ...template.metadata?.labels, ...spec.selector.matchLabels },
    },
    spec: (template.spec ?? {}) as PersistentVolumeClaim['spec'],
  }));
}
