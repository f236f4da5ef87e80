import { OPERATE } from '#api/operate-verb';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';

const API = 'admissionregistration.k8s.io/v1';
const POLICY = 'ValidatingAdmissionPolicy';
const BINDING = 'ValidatingAdmissionPolicyBinding';

export const POLICIES = resourceType(API, POLICY, 'validatingadmissionpolicies', 'Cluster');
export const POLICY_BINDINGS = resourceType(API, BINDING, 'validatingadmissionpolicybindings', 'Cluster');

/** What the policy for every group says: who writes a status has the verb for it, on KIND/status, whoever that is. */
export const STATUS_VALIDATION = {
  expression: `authorizer.requestResource.check('${OPERATE}').allowed()`,
  messageExpression: `'controllers act on this status: writing it takes the verb ${OPERATE} on ' + request.resource.resource + '/status'`,
  reason: 'Forbidden',
} as const;

/** The status of some kinds of a group, as a policy matches it. */
export const statusRule = (group: string, plurals: readonly string[]) => ({
  apiGroups: [group],
  apiVersions: ['*'],
  resources: plurals.map((plural) => `${plural}/status`),
  operations: ['UPDATE'],
});

/** The policy that protects the statuses of a group, and its binding. */
export function statusPolicy(
  name: string,
  group: string,
  plurals: readonly string[],
): readonly [KubeObject, KubeObject] {
  return policyWith(`${name}.status.${group}`, {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: [statusRule(group, plurals)] },
    validations: [STATUS_VALIDATION],
  });
}

/** A policy of this name, and the binding by which it denies. */
export function policyWith(name: string, spec: object): readonly [KubeObject, KubeObject] {
  const metadata = { name };
  const binding = { policyName: name, validationActions: ['Deny'] };
  return [
    { apiVersion: API, kind: POLICY, metadata, spec },
    { apiVersion: API, kind: BINDING, metadata, spec: binding },
  ];
}
