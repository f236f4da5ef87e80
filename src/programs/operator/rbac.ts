import type { DialectName } from '#api/groups';
import { CUSTOM_METRICS_GROUP, CUSTOM_METRICS_VERSIONS } from '#fleet/exporter/custom-metrics/custom-metrics-api';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { leaseRules } from '#platform/runtime/rbac';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import { SUBRESOURCES_GROUP, VERSIONS } from '#vm/engine/subresources/resources';
import { FRONT_PROXY } from './front-proxy.ts';

/** Returns the names of the objects that belong to an operator with this name. */
export const ownNames = (name: string) => ({ service: `${name}-webhook`, secret: `${name}-webhook-cert` });

/** APIServices through which users reach the subresources. */
export const API_SERVICES: readonly string[] = VERSIONS.map((version) => `${version}.${SUBRESOURCES_GROUP}`);

/** APIServices through which autoscalers reach the custom metrics. */
export const METRICS_API_SERVICES: readonly string[] = CUSTOM_METRICS_VERSIONS.map(
  (version) => `${version}.${CUSTOM_METRICS_GROUP}`,
);

/** Returns the cluster-wide permissions for serving webhooks: setting the CA bundle in their configurations. */
export function webhookRules(name: string): readonly PolicyRule[] {
  return [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      resourceNames: [name],
      verbs: ['get', 'patch'],
    },
    // Checks that the author of a change to an instance has the verb for it.
    ACCESS_REVIEWS,
  ];
}

const ACCESS_REVIEWS: PolicyRule = {
  apiGroups: ['authorization.k8s.io'],
  resources: ['subjectaccessreviews'],
  verbs: ['create'],
};

/** Returns the permissions for serving APIServices, besides those for acting on their requests. */
export function aggregationRules(apiServices: readonly string[]): readonly PolicyRule[] {
  return [
    {
      apiGroups: ['apiregistration.k8s.io'],
      resources: ['apiservices'],
      resourceNames: [...apiServices],
      verbs: ['get', 'patch'],
    },
    ACCESS_REVIEWS,
  ];
}

/** Permissions for measuring nodes and VMs, besides those of the controllers. */
export const METRICS_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list', 'watch'] },
  { apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['get', 'list'] },
];

/** Permissions in kube-system for reading how the forwarding API server is authenticated. */
export const FRONT_PROXY_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [FRONT_PROXY.name], verbs: ['get'] },
];

/** Returns the permissions for objects that admission of a group looks up and no controller reads. */
export function lookupRules(dialect: DialectName): readonly PolicyRule[] {
  const { lookups = [] } = REGISTRATIONS[dialect];
  return lookups.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ['list', 'watch'] }));
}

/** Returns the permissions in the operator's own namespace, for leader election and the shared certificate. */
export function ownNamespaceRules(name: string): readonly PolicyRule[] {
  return [
    ...leaseRules(name),
    { apiGroups: [''], resources: ['secrets'], resourceNames: [ownNames(name).secret], verbs: ['get', 'update'] },
  ];
}
