import { vmTemplate } from '#api/hypersdk/vm-template';
import { vmNetwork } from '#api/novacron/vm-network';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { leaseRules } from '#platform/runtime/rbac';
import type { Kind } from '#platform/schema/kind';
import type { DialectName } from '#programs/cli/up';
import { GROUP, VERSIONS } from '#vm/engine/subresources/resources';
import { FRONT_PROXY } from './front-proxy.ts';

/** The objects that belong to an operator of this name. */
export const ownNames = (name: string) => ({ service: `${name}-webhook`, secret: `${name}-webhook-cert` });

/** The APIServices through which users reach the subresources. */
export const API_SERVICES: readonly string[] = VERSIONS.map((version) => `${version}.${GROUP}`);

/** What serving webhooks takes in the whole cluster: saying in their configurations whom to trust. */
export function webhookRules(name: string): readonly PolicyRule[] {
  return [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      resourceNames: [name],
      verbs: ['get', 'patch'],
    },
    // Whether whoever changes an instance has the verb for it.
    ACCESS_REVIEWS,
  ];
}

const ACCESS_REVIEWS: PolicyRule = {
  apiGroups: ['authorization.k8s.io'],
  resources: ['subjectaccessreviews'],
  verbs: ['create'],
};

/** What serving subresources takes besides acting on them. */
export const AGGREGATION_RULES: readonly PolicyRule[] = [
  {
    apiGroups: ['apiregistration.k8s.io'],
    resources: ['apiservices'],
    resourceNames: API_SERVICES,
    verbs: ['get', 'patch'],
  },
  ACCESS_REVIEWS,
];

/** What it reads in kube-system: how the API server is known that hands on requests. */
export const FRONT_PROXY_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [FRONT_PROXY.name], verbs: ['get'] },
];

const LOOKED_UP: { readonly [D in DialectName]?: Kind } = { novacron: vmNetwork, hypersdk: vmTemplate };

/** What admission of a group looks up that no controller reads. */
export function lookupRules(dialect: DialectName): readonly PolicyRule[] {
  const kind = LOOKED_UP[dialect];
  return kind === undefined ? [] : [{ apiGroups: [kind.group], resources: [kind.plural], verbs: ['list', 'watch'] }];
}

/** What the operator does in its own namespace: leading, and sharing a certificate with those beside it. */
export function homeRules(name: string): readonly PolicyRule[] {
  return [
    ...leaseRules(name),
    { apiGroups: [''], resources: ['secrets'], resourceNames: [ownNames(name).secret], verbs: ['get', 'update'] },
  ];
}
