import { OPERATE } from '#api/operate-verb';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';

const API = 'admissionregistration.k8s.io/v1';
const POLICY = 'ValidatingAdmissionPolicy';
const BINDING = 'ValidatingAdmissionPolicyBinding';

export const POLICIES = resourceType(API, POLICY, 'validatingadmissionpolicies', 'Cluster');
export const POLICY_BINDINGS = resourceType(API, BINDING, 'validatingadmissionpolicybindings', 'Cluster');

/** Validation of every group's policy: the writer of a status must have the verb for it on KIND/status. */
export const STATUS_VALIDATION = {
  expression: `authorizer.requestResource.check('${OPERATE}').allowed()`,
  messageExpression: `'controllers act on this status: writing it requires the verb ${OPERATE} on ' + request.resource.resource + '/status'`,
  reason: 'Forbidden',
} as const;

/** Builds the rule that matches the status of some kinds of a group. */
export const statusRule = (group: string, plurals: readonly string[]) => ({
  apiGroups: [group],
  apiVersions: ['*'],
  resources: plurals.map((plural) => `${plural}/status`),
  operations: ['UPDATE'],
});

/** Builds the policy that protects the statuses of a group, and its binding. */
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

/** Builds a policy with this name, and the binding that makes it deny. */
export function policyWith(name: string, spec: object): readonly [KubeObject, KubeObject] {
  const metadata = { name };
  const binding = { policyName: name, validationActions: ['Deny'] };
  return [
    { apiVersion: API, kind: POLICY, metadata, spec },
    { apiVersion: API, kind: BINDING, metadata, spec: binding },
  ];
}
