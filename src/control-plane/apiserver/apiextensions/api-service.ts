import type { KubeObject } from '#platform/kube/kube-object';

/**
 * Label of APIServices that the server maintains: those of built-in groups from startup, those of CRDs continuously.
 */
export const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};
const VERSION_PRIORITIES: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};
const BUILT_IN = { group: 0, version: 15 };
const CUSTOM = { group: 1000, version: 100 };
const EXTENSION = { group: 1000, version: 15 };

/** The group of APIServices has no APIService itself. */
const ITSELF = 'apiregistration.k8s.io';

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly custom: boolean;
  /** Set for a group version that is implemented by code. */
  readonly extension?: { readonly group: number; readonly version: number } | true;
}

/** Returns the name of the APIService of a group version, undefined if it has none. */
export function apiServiceName({ group, version }: GroupVersion): string | undefined {
  return group === ITSELF ? undefined : `${version}.${group}`;
}

/** Builds the APIService of a group version that this server serves. */
export function apiServiceOf({ group, version, custom, extension }: GroupVersion): KubeObject {
  const extended = extension === true ? EXTENSION : extension;
  const defaults = extended ?? (custom ? CUSTOM : BUILT_IN);
  return {
    apiVersion: `${ITSELF}/v1`,
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [MANAGED]: custom ? 'true' : 'onstart' } },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: GROUP_PRIORITIES[group] ?? defaults.group,
      versionPriority: VERSION_PRIORITIES[`${group}/${version}`] ?? defaults.version,
    },
  };
}

export function availableStatus(now: string): object {
  return {
    conditions: [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: now,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  };
}
